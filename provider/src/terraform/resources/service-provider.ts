import { COLLECTIONS, KINDS } from '@authz-service/core/records/kinds';
import type { DataSource, Provider, Resource } from '../framework/provider.js';
import { accessToken } from './access-token.js';
import { configure, providerSchema } from './configure.js';
import { decisionSource } from './decision-source.js';
import { linkSetResources } from './link-set-resource.js';
import { typeName } from './record-form.js';
import { recordResource } from './record-resource.js';
import { recordList, recordSource } from './record-source.js';
import type { Configured } from './service.js';

/** The provider: a resource, a data source and a list for every kind of record. */
export function serviceProvider(env: NodeJS.ProcessEnv): Provider<Configured> {
  return {
    schema: providerSchema,
    configure: (config, context) => configure(config, context, env),
    resources: madeWhenAsked([...recordResources(), ...linkSetResources()]),
    dataSources: madeWhenAsked([...recordSources(), ['service_decision', () => decisionSource]]),
    ephemeralResources: { service_access_token: accessToken },
  };
}

function recordResources(): [type: string, make: () => Resource<Configured>][] {
  return KINDS.map((kind) => [typeName(kind), () => recordResource(kind)]);
}

function recordSources(): [type: string, make: () => DataSource<Configured>][] {
  return KINDS.flatMap((kind) => [
    [typeName(kind), () => recordSource(kind)],
    [`service_${COLLECTIONS[kind].replaceAll('-', '_')}`, () => recordList(kind)],
  ]);
}

/** Properties that are created when they are first read: most processes need few of them. */
function madeWhenAsked<T>(makers: [name: string, make: () => T][]): { readonly [name: string]: T } {
  const made: { [name: string]: T } = {};
  for (const [name, make] of makers) {
    Object.defineProperty(made, name, {
      configurable: true,
      enumerable: true,
      get() {
        const value = make();
        Object.defineProperty(made, name, { enumerable: true, value });
        return value;
      },
    });
  }
  return made;
}
