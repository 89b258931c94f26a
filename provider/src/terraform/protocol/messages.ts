/**
 * The messages of the plugin protocol, version 6.8 (Terraform 1.10 and 1.11), by their field numbers. Messages that
 * this provider neither reads nor sends (nested blocks, deferrals, functions, provider_meta) have no table: decoding
 * skips them.
 */
import {
  bool,
  bytes,
  type Decoded,
  type Encodable,
  type Field,
  int,
  map,
  message,
  optional,
  plain,
  repeated,
  type Shape,
  string,
} from './protobuf.js';

const text = (number: number) => plain(number, string, '');
const flag = (number: number) => plain(number, bool, false);
const number = (field: number) => plain(field, int, 0);

const dynamicValue = { msgpack: optional(1, bytes), json: optional(2, bytes) };
export type DynamicValue = Encodable<typeof dynamicValue>;
const dynamic = (field: number) => optional(field, message(dynamicValue));

const pathStep = {
  attribute_name: optional(1, string),
  element_key_string: optional(2, string),
  element_key_int: optional(3, int),
};
const attributePath = { steps: repeated(1, message(pathStep)) };
export type AttributePathMessage = Encodable<typeof attributePath>;

export const SEVERITY = { error: 1, warning: 2 } as const;
const diagnostic = {
  severity: number(1),
  summary: text(2),
  detail: text(3),
  attribute: optional(4, message(attributePath)),
};
export type DiagnosticMessage = Encodable<typeof diagnostic>;
const diagnostics = (field: number) => repeated(field, message(diagnostic));

export const STRING_KIND = { plain: 0, markdown: 1 } as const;
export const NESTING = { single: 1, list: 2, set: 3, map: 4 } as const;

/** `type` is the JSON of a type constraint; nested attributes have `nested_type` instead. */
export interface AttributeMessage {
  name?: string;
  type?: Uint8Array;
  nested_type?: { attributes?: readonly AttributeMessage[]; nesting?: number };
  description?: string;
  required?: boolean;
  optional?: boolean;
  computed?: boolean;
  sensitive?: boolean;
  description_kind?: number;
  deprecated?: boolean;
  write_only?: boolean;
}

const attribute = {
  name: text(1),
  type: optional(2, bytes),
  nested_type: optional(
    10,
    message(() => nestedObject),
  ) as Field<NonNullable<AttributeMessage['nested_type']>, unknown>,
  description: text(3),
  required: flag(4),
  optional: flag(5),
  computed: flag(6),
  sensitive: flag(7),
  description_kind: number(8),
  deprecated: flag(9),
  write_only: flag(11),
};
/** Attributes and nested objects contain each other, so TypeScript cannot infer this type. */
const nestedObject: Shape = {
  attributes: repeated(
    1,
    message(() => attribute),
  ),
  nesting: number(3),
};
const block = {
  version: number(1),
  attributes: repeated(2, message(attribute)),
  description: text(4),
  description_kind: number(5),
};
const schema = { version: number(1), block: optional(2, message(block)) };
export type SchemaMessage = Encodable<typeof schema>;

const serverCapabilities = {
  plan_destroy: flag(1),
  get_provider_schema_optional: flag(2),
  move_resource_state: flag(3),
};
const rawState = { json: optional(1, bytes) };
const importedResource = { type_name: text(1), state: dynamic(2), private: optional(3, bytes) };
const timestamp = { seconds: number(1), nanos: number(2) };

/** The request and response of every method of the service `tfplugin6.Provider` that Terraform 1.11 calls. */
export const METHODS = {
  GetProviderSchema: {
    request: {},
    response: {
      provider: optional(1, message(schema)),
      resource_schemas: map(2, message(schema)),
      data_source_schemas: map(3, message(schema)),
      diagnostics: diagnostics(4),
      server_capabilities: optional(6, message(serverCapabilities)),
      ephemeral_resource_schemas: map(8, message(schema)),
    },
  },
  ValidateProviderConfig: {
    request: { config: dynamic(1) },
    response: { diagnostics: diagnostics(2) },
  },
  ValidateResourceConfig: {
    request: { type_name: text(1), config: dynamic(2) },
    response: { diagnostics: diagnostics(1) },
  },
  ValidateDataResourceConfig: {
    request: { type_name: text(1), config: dynamic(2) },
    response: { diagnostics: diagnostics(1) },
  },
  ValidateEphemeralResourceConfig: {
    request: { type_name: text(1), config: dynamic(2) },
    response: { diagnostics: diagnostics(1) },
  },
  UpgradeResourceState: {
    request: { type_name: text(1), version: number(2), raw_state: optional(3, message(rawState)) },
    response: { upgraded_state: dynamic(1), diagnostics: diagnostics(2) },
  },
  ConfigureProvider: {
    request: { terraform_version: text(1), config: dynamic(2) },
    response: { diagnostics: diagnostics(1) },
  },
  ReadResource: {
    request: { type_name: text(1), current_state: dynamic(2), private: optional(3, bytes) },
    response: { new_state: dynamic(1), diagnostics: diagnostics(2), private: optional(3, bytes) },
  },
  PlanResourceChange: {
    request: {
      type_name: text(1),
      prior_state: dynamic(2),
      proposed_new_state: dynamic(3),
      config: dynamic(4),
      prior_private: optional(5, bytes),
    },
    response: {
      planned_state: dynamic(1),
      requires_replace: repeated(2, message(attributePath)),
      planned_private: optional(3, bytes),
      diagnostics: diagnostics(4),
    },
  },
  ApplyResourceChange: {
    request: {
      type_name: text(1),
      prior_state: dynamic(2),
      planned_state: dynamic(3),
      config: dynamic(4),
      planned_private: optional(5, bytes),
    },
    response: { new_state: dynamic(1), private: optional(2, bytes), diagnostics: diagnostics(3) },
  },
  ImportResourceState: {
    request: { type_name: text(1), id: text(2) },
    response: { imported_resources: repeated(1, message(importedResource)), diagnostics: diagnostics(2) },
  },
  MoveResourceState: {
    request: {
      source_provider_address: text(1),
      source_type_name: text(2),
      source_schema_version: number(3),
      source_state: optional(4, message(rawState)),
      target_type_name: text(5),
      source_private: optional(6, bytes),
    },
    response: { target_state: dynamic(1), diagnostics: diagnostics(2), target_private: optional(3, bytes) },
  },
  ReadDataSource: {
    request: { type_name: text(1), config: dynamic(2) },
    response: { state: dynamic(1), diagnostics: diagnostics(2) },
  },
  OpenEphemeralResource: {
    request: { type_name: text(1), config: dynamic(2) },
    response: {
      diagnostics: diagnostics(1),
      renew_at: optional(2, message(timestamp)),
      result: dynamic(3),
      private: optional(4, bytes),
    },
  },
  RenewEphemeralResource: {
    request: { type_name: text(1), private: optional(2, bytes) },
    response: {
      diagnostics: diagnostics(1),
      renew_at: optional(2, message(timestamp)),
      private: optional(3, bytes),
    },
  },
  CloseEphemeralResource: {
    request: { type_name: text(1), private: optional(2, bytes) },
    response: { diagnostics: diagnostics(1) },
  },
  GetFunctions: { request: {}, response: { diagnostics: diagnostics(2) } },
  StopProvider: { request: {}, response: { Error: text(1) } },
} as const;

export type Method = keyof typeof METHODS;
export type Request<M extends Method> = Decoded<(typeof METHODS)[M]['request']>;
export type Response<M extends Method> = Encodable<(typeof METHODS)[M]['response']>;

/** The provider's side of the protocol: one function per method. */
export type Handlers = { [M in Method]: (request: Request<M>) => Promise<Response<M>> | Response<M> };
