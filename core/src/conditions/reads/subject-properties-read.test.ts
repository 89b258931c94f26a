import { expect, it } from 'vitest';
import { subjectPropertiesRead } from './subject-properties-read.js';

it.each([
  ['subject.properties.a == 1 && resource.properties.b == subject.properties["c-d"]', ['a', 'c-d']],
  ['subject.properties.a.b[subject.properties.c] == 1', ['a', 'c']],
  ['has(subject.properties.a) || "b" in subject.properties', ['a', 'b']],
  ['resource.properties.tags.exists(t, t in subject.properties.teams)', ['teams']],
  ['subject.id == "x" && subject.type == "user" && subject.in_group("g")', []],
  ['[1].exists(subject, subject == 1)', []],
  ['context.a == 1', []],
])('%s reads %j', (source, names) => {
  expect(subjectPropertiesRead(source)).toEqual(new Set(names));
});

it.each([
  'subject.properties[context.name] == 1',
  'size(subject.properties) == 2',
  'context.name in subject.properties',
  'subject.properties.exists(name, name == "a")',
  'subject == context.subject',
  'subject["properties"]["a"] == 1 && subject.properties == {}',
  '[subject.properties][0].a == 1',
  'subject.properties.a ==',
])('%s may read all', (source) => {
  expect(subjectPropertiesRead(source)).toBe('all');
});
