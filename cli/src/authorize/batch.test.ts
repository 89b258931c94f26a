import { describe, expect, it } from 'vitest';
import { parseBatch } from './batch.js';

const SHORT = '{"subject": "user:alice", "action": "read", "resource": "invoice:INV-1"}';
const FULL = {
  subject: { type: 'user', id: 'alice' },
  action: { name: 'read' },
  resource: { type: 'invoice', name: 'INV-1' },
};

describe('parseBatch', () => {
  it.each<[string, string, string]>([
    ['JSON lines', `${SHORT}\n\n${JSON.stringify(FULL)}\n`, 'q.jsonl'],
    ['a JSON array', `[${SHORT}, ${JSON.stringify(FULL)}]`, 'q.json'],
    [
      'a YAML list',
      `- ${SHORT}\n- subject: { type: user, id: alice }\n  action: { name: read }\n  resource: invoice:INV-1\n`,
      'standard input',
    ],
    ['YAML documents', `${SHORT}\n---\n${SHORT}\n`, 'q.yaml'],
    ['a YAML list that looks like JSON', `[${SHORT},\n ${SHORT}, ]\n`, 'q.yml'],
  ])('reads %s', async (_, text, where) => {
    expect(await parseBatch(text, where)).toEqual([{ question: FULL }, { question: FULL }]);
  });

  it('leaves to the service what it is asked, and keeps the other members', async () => {
    const odd = { subject: 5, action: { name: 'read' }, resource: { type: 'x' }, context: { mfa: true } };
    expect(await parseBatch(JSON.stringify(odd), 'q.jsonl')).toEqual([{ question: odd }]);
  });

  it('takes the answer that is expected apart from the request', async () => {
    const text = ['allow', 'deny'].map((expect) => SHORT.replace('}', `, "expect": "${expect}"}`)).join('\n');
    expect(await parseBatch(text, 'q.jsonl')).toEqual([
      { question: FULL, expect: 'allow' },
      { question: FULL, expect: 'deny' },
    ]);
  });

  it.each<[string, string, string, RegExp]>([
    ['an empty file', ' \n', 'q.jsonl', /^q.jsonl is empty/],
    [
      'a line that is no JSON',
      `${SHORT}\n{"subject`,
      'q.jsonl',
      /^q.jsonl:2: this is not valid JSON at position 9\. Write one/,
    ],
    [
      'a member that is given twice',
      `${SHORT}\n${SHORT.replace('}', ', "act\\u0069on": "delete"}')}`,
      'q.jsonl',
      /^q.jsonl:2: this gives \/action more than once: give it once\.$/,
    ],
    [
      'a member that is given twice, inside',
      JSON.stringify(FULL).replace('{"type":"user"', '{"type":"user","type":"user"'),
      'q.jsonl',
      /^q.jsonl:1: this gives \/subject\/type more than once/,
    ],
    ['a line that is no object', `${SHORT}\n5`, 'q.jsonl', /^q.jsonl:2: a request must be an object/],
    ['a subject without a type', '{"subject": "alice"}', 'q.jsonl', /^q.jsonl:1: subject "alice" is not TYPE:ID/],
    ['an element that is no object', `[${SHORT}, 5]`, 'q.json', /^q.json, request 2: a request must be an object/],
    [
      'a key that would be ignored',
      `${SHORT}\n${SHORT.replace('}', ', "why": "x"}')}`,
      'q.jsonl',
      /^q.jsonl:2: unknown key "why": the keys here are subject, resource, action, context, options, expect\.$/,
    ],
    [
      'another expectation than an answer',
      `${SHORT}\n${SHORT.replace('}', ', "expect": "allowed"}')}`,
      'q.jsonl',
      /^q.jsonl:2: expect is "allowed": write "allow" or "deny", or leave it out\.$/,
    ],
    [
      'a slip in a key',
      '- { subjct: user:alice }',
      'q.yaml',
      /request 1: unknown key "subjct": did you mean "subject"\?$/,
    ],
    [
      'a key inside that would be ignored',
      JSON.stringify({ ...FULL, subject: { type: 'user', id: 'a', role: ['x'] } }),
      'q.jsonl',
      /^q.jsonl:1: subject: unknown key "role": did you mean "roles"\?$/,
    ],
    [
      'a number that JSON does not keep',
      SHORT.replace('}', ', "context": {"n": 175928847299117061}}'),
      'q.jsonl',
      /^q.jsonl:1: this has a number at \/context\/n that is too large to be kept exactly: write it in quotes\.$/,
    ],
    [
      'a number that JSON does not keep, in an array',
      `[${SHORT.replace('}', ', "context": {"n": 1e400}}')}]`,
      'q.json',
      /^q.json: this has a number at \/0\/context\/n that is too large/,
    ],
    [
      'a number that YAML does not keep',
      `- ${SHORT.replace('}', ', "context": {"n": 175928847299117061}}')}`,
      'q.yaml',
      /^q.yaml:1:\d+: 175928847299117061 is too large to be kept exactly: write "175928847299117061" in quotes\.$/,
    ],
    ['YAML that does not parse', '- {a: b', 'q.yaml', /^q.yaml:1:\d+: /],
  ])('refuses %s', async (_, text, where, message) => {
    await expect(parseBatch(text, where)).rejects.toThrow(message);
  });

  it.each<[string, string, string, string[]]>([
    [
      'lines',
      `${SHORT}\n{"subject\n5\n${SHORT.replace('}', ', "why": true}')}`,
      'q.jsonl',
      ['q.jsonl:2: this is not valid JSON', 'q.jsonl:3: a request must be', 'q.jsonl:4: unknown key "why"'],
    ],
    ['elements', `[5, ${SHORT}, 6]`, 'q.json', ['q.json, request 1: a request', 'q.json, request 3: a request']],
    ['YAML items', '- 5\n- { subjct: user:a }', 'q.yaml', ['q.yaml, request 1: a', 'q.yaml, request 2: unknown key']],
  ])('lists the faults of all bad %s at once', async (_, text, where, faults) => {
    await expect(parseBatch(text, where)).rejects.toMatchObject({
      message: `${where} has ${faults.length} invalid requests; nothing was sent.`,
      faults: faults.map((fault) => expect.stringContaining(fault)),
    });
  });
});
