import type { UnaryMethod } from './wire/grpc.js';
import type { Method } from './wire/messages.js';

/**
 * Answers that are the same in every run, so that they are given before the provider is loaded. There are none here:
 * the bundle has them in place of this module (scripts/bundle-provider.mjs).
 */
export const prepared: { readonly [M in Method]?: UnaryMethod } = {};
