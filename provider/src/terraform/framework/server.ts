import type { Log } from '../protocol/log.js';
import type { Handlers } from '../protocol/messages.js';
import { Calls } from './calls.js';
import { Configurations } from './configurations.js';
import { refuse } from './diagnostics.js';
import { decodeObject, encodeObject } from './encode.js';
import type { Provider } from './provider.js';
import { resourceHandlers } from './resource-handlers.js';
import type { Schema } from './schema.js';
import { schemaMessage } from './schema-message.js';
import { offered, type Session, validateConfig } from './session.js';

/** The provider as the methods of the protocol. */
export function providerHandlers<C>(provider: Provider<C>, log: Log): Handlers {
  const calls = new Calls(log);
  let configured: { client: C } | undefined;
  const session: Session<C> = {
    provider,
    calls,
    configurations: new Configurations(),
    client() {
      if (configured !== undefined) return configured.client;
      throw refuse('Provider not configured', 'Terraform called the provider before it configured it.');
    },
  };
  const { schema, resources, dataSources, ephemeralResources } = provider;

  return {
    ...resourceHandlers(session),

    GetProviderSchema: () => ({
      provider: schemaMessage(schema),
      resource_schemas: schemaMessages(resources),
      data_source_schemas: schemaMessages(dataSources),
      ephemeral_resource_schemas: schemaMessages(ephemeralResources),
      server_capabilities: { plan_destroy: true, get_provider_schema_optional: true, move_resource_state: true },
    }),

    ValidateProviderConfig: () => ({}),

    async ConfigureProvider(request) {
      const { value, diagnostics } = await calls.run(
        'Configuring the provider',
        schema.attributes,
        async (context) => ({
          client: await provider.configure(decodeObject(schema.attributes, request.config) ?? {}, context),
        }),
      );
      configured = value;
      return { diagnostics };
    },

    ValidateDataResourceConfig: (request) => validateConfig(session, dataSources, request),

    async ReadDataSource(request) {
      const { type_name: type } = request;
      const source = offered(dataSources, type);
      const { attributes } = source.schema;
      const { value, diagnostics } = await calls.run(`Reading ${type}`, attributes, async (context) => {
        const config = decodeObject(attributes, request.config) ?? {};
        return encodeObject(attributes, await source.read(session.client(), config, context));
      });
      return { state: value, diagnostics };
    },

    ValidateEphemeralResourceConfig: (request) => validateConfig(session, ephemeralResources, request),

    async OpenEphemeralResource(request) {
      const { type_name: type } = request;
      const resource = offered(ephemeralResources, type);
      const { attributes } = resource.schema;
      const { value, diagnostics } = await calls.run(`Opening ${type}`, attributes, async (context) => {
        const config = decodeObject(attributes, request.config) ?? {};
        return encodeObject(attributes, await resource.open(session.client(), config, context));
      });
      return { result: value, diagnostics };
    },

    RenewEphemeralResource: () => ({}),
    CloseEphemeralResource: () => ({}),
    GetFunctions: () => ({}),

    StopProvider() {
      log.log('info', 'asked to stop');
      calls.stop();
      return {};
    },
  };
}

function schemaMessages(offers: { readonly [type: string]: { schema: Schema } }) {
  return Object.fromEntries(Object.entries(offers).map(([type, offer]) => [type, schemaMessage(offer.schema)]));
}
