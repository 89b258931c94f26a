import { KINDS } from '@authz-service/core/records/kinds';
import { definitionOf } from '@authz-service/core/records/registry';
import { describe, expect, it } from 'vitest';
import type { Attribute, Attributes } from '../framework/schema.js';
import type { Value } from '../framework/value.js';
import { attributesOf, fieldsFrom, formsOf, valuesFrom } from './field-form.js';

const formsOfKind = (kind: (typeof KINDS)[number]) => formsOf(definitionOf(kind).schema.shape);
const policy = formsOfKind('policy');
const resource = formsOfKind('resource');

/** Names that generated constructs or Terraform itself do not allow. */
const RESERVED = [
  'connection',
  'constructor',
  'count',
  'depends_on',
  'for_each',
  'lifecycle',
  'provider',
  'provisioners',
  'friendly_unique_id',
  'to_string',
  'add_override',
  'raw_overrides',
  'terraform_resource_type',
  'has_resource_move',
  'override_logical_id',
  'cdktf_stack',
];

describe('the attributes of a record', () => {
  it.each(KINDS)('of the kind %s follow from its fields', (kind) => {
    const { shape } = definitionOf(kind).schema;
    const attributes = attributesOf(formsOfKind(kind));
    expect(Object.keys(attributes)).toEqual(Object.keys(shape));
    const judge = (found: Attributes) => {
      for (const [name, attribute] of Object.entries(found)) {
        expect(RESERVED).not.toContain(name);
        expect(attribute.description, `${kind}.${name}`).not.toBe('');
        expect([attribute.required, attribute.optional, attribute.default !== undefined].filter(Boolean)).toHaveLength(
          1,
        );
        if ('nested' in attribute) judge(attribute.attributes);
      }
    };
    judge(attributes);
  });

  it.each<[string, Attribute | undefined, object]>([
    ['a text', policy.get('name')?.attribute, { type: 'string', required: true, replace: true }],
    [
      'an optional part of the key',
      policy.get('application')?.attribute,
      { type: 'string', optional: true, replace: true },
    ],
    ['a choice', policy.get('effect')?.attribute, { type: 'string', required: true }],
    ['a number with a default', policy.get('priority')?.attribute, { type: 'number', default: 0 }],
    ['a set', policy.get('actions')?.attribute, { type: { set: 'string' }, optional: true }],
    ['a set of objects', policy.get('resources')?.attribute, { nested: 'set', optional: true }],
    ['an object', policy.get('modifiers')?.attribute, { nested: 'single', optional: true }],
    ['a map', formsOfKind('resource_type').get('properties')?.attribute, { type: { map: 'string' } }],
    ['free JSON', resource.get('properties')?.attribute, { type: 'string' }],
  ])('have the form of %s', (_name, attribute, expected) => {
    expect(attribute).toMatchObject(expected);
  });

  it('have forms of their own inside objects', () => {
    const modifiers = policy.get('modifiers')?.attribute;
    const inside = modifiers !== undefined && 'nested' in modifiers ? modifiers.attributes : {};
    expect(inside).toMatchObject({
      ip_ranges: { type: { set: 'string' } },
      mfa_required: { type: 'bool' },
      time_windows: { nested: 'list', attributes: { zone: { default: 'UTC' }, days: { type: { set: 'string' } } } },
    });
  });
});

describe('fields and values', () => {
  const none = {
    application: null,
    resources: null,
    resource_type: null,
    actions: null,
    condition: null,
    modifiers: null,
    description: null,
  };

  it('go into each other and back', () => {
    const fields = {
      name: 'p',
      effect: 'ALLOW',
      priority: 5,
      resources: [{ resource: 'a/t/r', actions: ['x'] }],
      modifiers: { mfa_required: true, time_windows: [{ start: '09:00', end: '17:00', zone: 'UTC' }] },
    };
    const values = valuesFrom(policy, fields);
    expect(values).toMatchObject({
      ...none,
      name: 'p',
      resources: fields.resources,
      modifiers: {
        ip_ranges: null,
        mfa_required: true,
        time_windows: [{ days: null, start: '09:00', end: '17:00', zone: 'UTC' }],
      },
    });
    expect(fieldsFrom(policy, values)).toEqual(fields);
  });

  it('take a switch that is off as absent', () => {
    expect(fieldsFrom(policy, { name: 'p', modifiers: { mfa_required: false } })).toEqual({ name: 'p', modifiers: {} });
  });

  it('hold free JSON as canonical text', () => {
    expect(valuesFrom(resource, { properties: { b: 1, a: [null] } }).properties).toBe('{"a":[null],"b":1}');
    expect(fieldsFrom(resource, { properties: '{ "b": 1 }' })).toEqual({ properties: { b: 1 } });
    expect(() => fieldsFrom(resource, { properties: '{' })).toThrow('jsonencode');
  });
});

describe('values that mean the same', () => {
  const expiresAt = formsOfKind('role_assignment').get('expires_at')?.attribute.same;
  const properties = resource.get('properties')?.attribute.same;
  const name = resource.get('name')?.attribute.same;

  it.each<[string, ((left: Value, right: Value) => boolean) | undefined, Value, Value, boolean]>([
    ['one moment in two zones', expiresAt, '2027-01-01T00:00:00Z', '2027-01-01T01:00:00+01:00', true],
    ['two moments', expiresAt, '2027-01-01T00:00:00Z', '2027-01-01T00:00:01Z', false],
    ['what is no moment', expiresAt, 'soon', 'sooner', false],
    ['JSON in another order and spacing', properties, '{"a":1,"b":[2]}', '{ "b": [2], "a": 1.0 }', true],
    ['JSON with another value', properties, '{"a":1}', '{"a":2}', false],
    ['what is no JSON', properties, '{', '{"a":2}', false],
    ['equal names', name, 'a', 'a', true],
    ['other names', name, 'a', 'A', false],
  ])('%s', (_name, same, left, right, expected) => {
    expect(same?.(left, right)).toBe(expected);
  });
});
