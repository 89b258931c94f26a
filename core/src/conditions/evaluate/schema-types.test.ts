import { describe, expect, it } from 'vitest';
import type { PropertyType } from '../../records/fields.js';
import { checkCondition } from '../reads/check.js';
import { SchemaTypes } from './schema-types.js';

const SCHEMAS = new SchemaTypes({
  subjectTypes: new Map<string, Readonly<Record<string, PropertyType>> | undefined>([
    ['user', { region: 'string', level: 'number', tags: 'list' }],
    ['service', { region: 'string', level: 'string', owner: 'string' }],
    ['device', undefined],
  ]),
  contextAttributes: new Map([
    ['amount', 'number'],
    ['caller', 'map'],
  ]),
});
const CLOSED = new SchemaTypes({
  subjectTypes: new Map([['user', { region: 'string' }]]),
  contextAttributes: new Map(),
});

const fault = (source: string, schemas = SCHEMAS) => checkCondition(source, undefined, schemas).error?.detail;

describe('a condition on declared subjects and contexts', () => {
  it.each([
    ['reads what any type declares', 'subject.properties.region == "EU" && subject.properties.owner == "x"'],
    ['reads what types declare differently', 'subject.properties.level == 1 || subject.properties.level == "1"'],
    ['reads what may be of a type that declares nothing', 'subject.properties.serial == 5'],
    ['reads anything of a type that nobody declares', 'subject.type == "robot" && subject.properties.regoin == 5'],
    [
      'reads anything of a declared type without properties',
      'subject.type == "device" && subject.properties.levle == 5',
    ],
    ['reads attributes that nobody declares', 'context.region == "EU" && context.approved_by.name == "x"'],
    ['reads what modifiers read', 'context.ip == "::1" && context.mfa && context.time != ""'],
    ['reads members of a declared map', 'context.caller.name == "x" && "name" in context.caller'],
    [
      'hides the subject behind a variable',
      '[{"properties": {"regoin": 1}}].exists(subject, subject.properties.regoin == 1)',
    ],
  ])('%s', (_, source) => {
    expect(fault(source)).toBeUndefined();
  });

  it.each([
    [
      'may not misspell a property',
      'subject.properties.regoin == "EU"',
      'no declared subject type has a property "regoin": did you mean "region"? If not, declare it, too',
    ],
    [
      'may not misspell one that it asks for',
      '!has(subject.properties.regoin)',
      'no declared subject type has a property "regoin": did you mean "region"?',
    ],
    ['may not misspell a key', '"regoin" in subject.properties', 'did you mean "region"?'],
    [
      'may not misspell an attribute',
      'context.amuont < 5',
      'nobody declares a context attribute "amuont": did you mean "amount"? If not, declare it, too',
    ],
    ['may not misspell an attribute that it asks for', 'has(context.Amount)', 'did you mean "amount"?'],
    ['may not misspell an attribute in brackets', 'context["amuont"] < 5', 'did you mean "amount"?'],
    ['may not misspell the key of an attribute', '"amuont" in context', 'did you mean "amount"?'],
    [
      'compares an attribute as its type',
      'context.amount == "5"',
      '"==" does not take context.amount (a number) and a string',
    ],
    ['compares a property as its type', 'subject.properties.region < 5', '"<" does not take'],
    [
      'may not misspell a type',
      'subject.type == "usr"',
      'nobody declares a subject type "usr": did you mean "user"? If not',
    ],
    ['may not misspell a type in a list', 'subject.type in ["robot", "servise"]', 'did you mean "service"?'],
    [
      'reads what the type that it asks for declares',
      'subject.type == "user" && subject.properties.owner == "x"',
      'the subject type "user" declares no property "owner": there are "region", "level", "tags"',
    ],
    [
      'is of the type it asks for on the right, too',
      '"user" == subject.type && (context.x || subject.properties.owner == "x")',
      'the subject type "user" declares no property "owner"',
    ],
    [
      'is of the type that it does not exclude',
      'subject.type != "user" || subject.properties.level == "1"',
      '"==" does not take subject.properties.level (a number)',
    ],
    [
      'is of the type that a choice asks for',
      'subject.type == "user" ? subject.properties.owner == "x" : true',
      'the subject type "user" declares no property "owner"',
    ],
    [
      'is of one of the types in a list',
      'subject.type in ["user", "service"] && subject.properties.serial == 5',
      'no declared subject type has a property "serial": there are',
    ],
    ['knows the subject of a variable', 'cel.bind(p, subject.properties, p.regoin == "EU")', 'did you mean "region"?'],
  ])('%s', (_, source, detail) => {
    expect(fault(source)).toContain(detail);
  });

  it('knows all properties where every declared type says them', () => {
    expect(fault('subject.properties.department == "x"', CLOSED)).toBe(
      'the subject type "user" declares no property "department": there are "region"',
    );
    expect(fault('context.anything == 5', CLOSED)).toBeUndefined();
  });
});
