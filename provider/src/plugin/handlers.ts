import { providerHandlers } from './framework/server.js';
import { serviceProvider } from './resources/service-provider.js';
import type { Log } from './wire/log.js';
import type { Handlers } from './wire/messages.js';

/** The provider, and all that it is made of. */
export function serviceHandlers(env: NodeJS.ProcessEnv, log: Log): Handlers {
  return providerHandlers(serviceProvider(env), log);
}
