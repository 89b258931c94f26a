import { providerHandlers } from './framework/server.js';
import type { Log } from './protocol/log.js';
import type { Handlers } from './protocol/messages.js';
import { serviceProvider } from './resources/service-provider.js';

/** The provider, and all that it is made of. */
export function serviceHandlers(env: NodeJS.ProcessEnv, log: Log): Handlers {
  return providerHandlers(serviceProvider(env), log);
}
