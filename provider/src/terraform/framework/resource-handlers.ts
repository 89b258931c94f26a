import type { Handlers, Request, Response } from '../protocol/messages.js';
import { fault } from './calls.js';
import { faultsOf, keepSpelling, withoutUnknown } from './conform.js';
import { pathMessage, refuse } from './diagnostics.js';
import { decodeObject, encodeObject, isNull } from './encode.js';
import { planValues, replacedBy } from './plan.js';
import type { Context, PlannedChange, Resource } from './provider.js';
import type { Attributes } from './schema.js';
import { offered, type Session, validateConfig } from './session.js';
import type { Values } from './value.js';

type ResourceMethod =
  | 'ValidateResourceConfig'
  | 'UpgradeResourceState'
  | 'ReadResource'
  | 'PlanResourceChange'
  | 'ApplyResourceChange'
  | 'ImportResourceState'
  | 'MoveResourceState';

/** The note for a planned removal. The removal of an object that is replaced is not planned separately. */
const REMOVAL = 'removal';

/** The life of managed objects: decode, ask the resource under the framework's rules, encode. */
export function resourceHandlers<C>(session: Session<C>): Pick<Handlers, ResourceMethod> {
  const { calls, provider } = session;
  const of = (type: string) => offered(provider.resources, type);

  return {
    ValidateResourceConfig: (request) => validateConfig(session, provider.resources, request),

    async UpgradeResourceState({ type_name: type, version, raw_state: raw }) {
      const { attributes, version: current } = of(type).schema;
      const { value, diagnostics } = await calls.run(`Reading the state of ${type}`, attributes, () => {
        if (version === current) return { json: currentState(attributes, raw?.json) };
        throw refuse(
          'State of another version',
          `The state of this ${type} has schema version ${version}; this provider reads version ${current}. ` +
            'Use the version of the provider that wrote it, or a later one.',
        );
      });
      return { upgraded_state: value, diagnostics };
    },

    async ReadResource({ type_name: type, current_state: current, private: note }) {
      const resource = of(type);
      const { attributes } = resource.schema;
      const { value, diagnostics } = await calls.run(`Reading ${type}`, attributes, async (context) => {
        const state = decodeObject(attributes, current);
        if (state === null) return encodeObject(attributes, null);
        const present = await resource.read(session.client(), state, context);
        return encodeObject(attributes, present === null ? null : keepSpelling(attributes, state, present));
      });
      return { new_state: value ?? current, private: note, diagnostics };
    },

    PlanResourceChange: (request) => planChange(session, of(request.type_name), request),
    ApplyResourceChange: (request) => applyChange(session, of(request.type_name), request),

    async ImportResourceState({ type_name: type, id }) {
      const resource = of(type);
      const { attributes } = resource.schema;
      const { value, diagnostics } = await calls.run(`Importing ${type} "${id}"`, attributes, async (context) => {
        const imported = await resource.import(session.client(), id, context);
        return [{ type_name: type, state: encodeObject(attributes, imported) }];
      });
      return { imported_resources: value ?? [], diagnostics };
    },

    async MoveResourceState({ source_type_name: source, source_state: raw, target_type_name: target }) {
      const { schema } = of(target);
      const { value, diagnostics } = await calls.run(`Moving ${source} to ${target}`, schema.attributes, () => {
        const from = Object.hasOwn(provider.resources, source) ? of(source).schema.attributes : undefined;
        const state = from && decodeObject(from, { json: currentState(from, raw?.json) });
        const values = state && of(target).moved?.(source, state);
        if (values) return encodeObject(schema.attributes, values);
        throw refuse(
          'No such move',
          `A ${source} cannot become a ${target}. Remove the "moved" block; import the object under its new type.`,
        );
      });
      return { target_state: value, diagnostics };
    },
  };
}

/** The state's JSON, without attributes that a later version of the schema has dropped. */
function currentState(attributes: Attributes, json: Uint8Array | undefined): Uint8Array {
  const raw = Buffer.from(json ?? 'null');
  const values = JSON.parse(raw.toString('utf8')) as Record<string, unknown> | null;
  if (values === null || Object.keys(values).every((name) => Object.hasOwn(attributes, name))) return raw;
  return Buffer.from(
    JSON.stringify(Object.fromEntries(Object.entries(values).filter(([name]) => Object.hasOwn(attributes, name)))),
  );
}

async function planChange<C>(
  session: Session<C>,
  resource: Resource<C>,
  request: Request<'PlanResourceChange'>,
): Promise<Response<'PlanResourceChange'>> {
  const { attributes } = resource.schema;
  const { value, diagnostics } = await session.calls.run(
    `Planning ${request.type_name}`,
    attributes,
    async (context) => {
      const prior = decodeObject(attributes, request.prior_state);
      const config = session.configurations.again(attributes, request.config);
      // Terraform's proposal is null when the object is to be destroyed; everything else in it follows from state and
      // configuration.
      if (isNull(request.proposed_new_state)) {
        await resource.plan?.(session.client(), { prior, planned: null, config }, context);
        return { planned: encodeObject(attributes, null), replace: [], note: REMOVAL };
      }
      const ruled = planValues(attributes, prior, config);
      const note = Buffer.from(request.prior_private ?? []).toString();
      const change = { prior, planned: ruled, config, replaced: prior === null && note !== '' ? note : undefined };
      const planned = (await resource.plan?.(session.client(), change, context)) ?? ruled;
      const replace = prior === null ? [] : replacedBy(attributes, prior, planned);
      return {
        planned: encodeObject(attributes, planned),
        replace: replace.map((path) => pathMessage(attributes, path)),
        note: resource.key?.(prior ?? planned) ?? '',
      };
    },
  );
  return {
    planned_state: value?.planned,
    requires_replace: value?.replace ?? [],
    // For a replacement, Terraform plans the change first and then the creation, with what was noted the first time. The
    // removal is applied with what the creation noted.
    planned_private: Buffer.from(value?.note ?? ''),
    diagnostics,
  };
}

async function applyChange<C>(
  session: Session<C>,
  resource: Resource<C>,
  request: Request<'ApplyResourceChange'>,
): Promise<Response<'ApplyResourceChange'>> {
  const { type_name: type } = request;
  const { attributes } = resource.schema;
  const { value, diagnostics } = await session.calls.run(`Applying ${type}`, attributes, async (context) => {
    const prior = decodeObject(attributes, request.prior_state);
    const planned = decodeObject(attributes, request.planned_state);
    const config = decodeObject(attributes, request.config) ?? {};
    const note = Buffer.from(request.planned_private ?? []).toString();
    const replacedBy = note === REMOVAL ? undefined : note;
    const made = await make(resource, session.client(), { prior, planned, config, replacedBy }, context);
    const faults = made === null ? [] : faultsOf(attributes, made, planned ?? undefined);
    if (faults.length > 0) context.report(fault(`The provider returned an invalid ${type}: ${faults.join(', ')}.`));
    // The object is kept in the state all the same, so that it is not lost. Only what Terraform cannot keep becomes
    // null.
    return encodeObject(attributes, made === null ? null : withoutUnknown(made));
  });
  // After a failure the state stays as it was; for a creation, that is empty.
  return { new_state: value ?? request.prior_state, private: undefined, diagnostics };
}

async function make<C>(
  resource: Resource<C>,
  client: C,
  { prior, planned, config, replacedBy }: Omit<PlannedChange, 'replaced'> & { replacedBy: string | undefined },
  context: Context,
): Promise<Values | null> {
  if (planned === null) {
    if (prior !== null) await resource.delete(client, prior, context, replacedBy);
    return null;
  }
  return prior === null
    ? resource.create(client, planned, config, context)
    : resource.update(client, prior, planned, config, context);
}
