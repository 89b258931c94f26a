import { providerHandlers } from './framework/server.js';
import type { Log } from './protocol/log.js';
import type { Handlers } from './protocol/messages.js';
import { serviceProvider } from './resources/service-provider.js';

/** Puts the provider together from its parts. */
export function serviceHandlers(env: NodeJS.ProcessEnv, log: Log): Handlers {
  return providerHandlers(serviceProvider(env), log);
}
