import type { DiagnosticMessage, DynamicValue } from '../protocol/messages.js';
import type { Calls } from './calls.js';
import type { Configurations } from './configurations.js';
import { type Diagnostic, Refusal } from './diagnostics.js';
import type { Provider } from './provider.js';
import type { Schema } from './schema.js';
import type { Values } from './value.js';

/** The state that all handlers of one process share: the provider and the result of configuring it. */
export interface Session<C> {
  provider: Provider<C>;
  calls: Calls;
  configurations: Configurations;
  /** The configured client. Throws a refusal if Terraform has not configured the provider yet. */
  client(): C;
}

/** The type of that name. Terraform asks only for types that the schema lists. */
export function offered<T>(offers: { readonly [type: string]: T }, type: string): T {
  const offer = Object.hasOwn(offers, type) ? offers[type] : undefined;
  if (offer === undefined) throw new Error(`the provider offers no ${type}`);
  return offer;
}

/** Anything whose configuration can be checked on its own. */
interface Judged {
  schema: Schema;
  validate?(config: Values): Promise<Diagnostic[]> | Diagnostic[];
}

export async function validateConfig(
  { calls, configurations }: Pick<Session<unknown>, 'calls' | 'configurations'>,
  offers: { readonly [type: string]: Judged },
  request: { type_name: string; config: DynamicValue | undefined },
): Promise<{ diagnostics: DiagnosticMessage[] }> {
  const offer = offered(offers, request.type_name);
  const { attributes } = offer.schema;
  const { diagnostics } = await calls.run(`Validating ${request.type_name}`, attributes, async () => {
    const found = (await offer.validate?.(configurations.first(attributes, request.config))) ?? [];
    if (found.length > 0) throw new Refusal(found);
  });
  return { diagnostics };
}
