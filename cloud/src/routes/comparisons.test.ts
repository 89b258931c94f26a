import { expect, it } from 'vitest';
import { moment } from './comparisons.js';

it.each(['42', '42.9f86d081884c7d65', '2026-03-01', '2026-03-01T12:00:00Z'])('takes the moment %s', (text) => {
  expect(moment.parse(text)).toBe(text);
});

it.each(['', 'yesterday', '2026-02-30', '-1'])('takes no moment "%s", and says how to write one', (text) => {
  expect(moment.safeParse(text).error?.issues).toMatchObject([
    { message: expect.stringMatching(/^is no moment: write a revision like "42/) },
  ]);
});
