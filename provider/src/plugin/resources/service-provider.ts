import { KINDS } from '@authz-service/core/records/kinds';
import { definitionOf } from '@authz-service/core/records/registry';
import type { DataSource, Provider } from '../framework/provider.js';
import { accessToken } from './access-token.js';
import { configure, providerSchema } from './configure.js';
import { decisionSource } from './decision-source.js';
import { typeName } from './record-form.js';
import { recordResource } from './record-resource.js';
import { recordList, recordSource } from './record-source.js';
import type { Configured } from './service.js';

/** The provider of the service: a resource, a data source and a list for every kind of record there is. */
export function serviceProvider(env: NodeJS.ProcessEnv): Provider<Configured> {
  return {
    schema: providerSchema,
    configure: (config, context) => configure(config, context, env),
    resources: Object.fromEntries(KINDS.map((kind) => [typeName(kind), recordResource(kind)])),
    dataSources: { ...recordSources(), service_decision: decisionSource },
    ephemeralResources: { service_access_token: accessToken },
  };
}

function recordSources(): { [type: string]: DataSource<Configured> } {
  return Object.fromEntries(
    KINDS.flatMap((kind) => [
      [typeName(kind), recordSource(kind)],
      [`service_${definitionOf(kind).collection.replaceAll('-', '_')}`, recordList(kind)],
    ]),
  );
}
