import type { Kind } from './kinds.js';

const RULES: { readonly [K in Kind]?: { pattern: RegExp; text: string } } = {
  api_key: {
    pattern: /^svc_[\x21-\x7e]{32,1020}$/,
    text: 'must start with "svc_" and go on with at least 32 visible ASCII characters',
  },
  oauth_client: { pattern: /^[\x20-\x7e]{16,1024}$/, text: 'must have 16 to 1,024 printable ASCII characters' },
};

/** The errors of a secret that a caller chose, worded without repeating it. */
export function chosenSecretFault(kind: Kind, secret: string): string | undefined {
  const rule = RULES[kind];
  if (rule === undefined) return 'is for API keys and OAuth clients only';
  return rule.pattern.test(secret) ? undefined : rule.text;
}
