import { expect, it } from 'vitest';
import { WorkBudget } from './work-budget.js';

function budget(stepsPerSecond: number) {
  let now = 0;
  const made = new WorkBudget(stepsPerSecond, () => now);
  const refusal = () => {
    try {
      made.assertLeft();
      return undefined;
    } catch (error) {
      return error as { code: string; retryAfterSeconds: number };
    }
  };
  return {
    spend: (steps: number) => made.spend(steps),
    pass: (ms: number) => {
      now += ms;
    },
    refusal,
    isLow: () => made.isLow,
  };
}

it('lasts a second at once, and is earned anew with time', () => {
  const { spend, pass, refusal } = budget(1_000_000);
  spend(999_999);
  expect(refusal()).toBeUndefined();
  spend(1);
  expect(refusal()).toMatchObject({ code: 'too_many_requests', retryAfterSeconds: 1 });
  pass(1);
  expect(refusal()).toBeUndefined();
});

it('is not earned beyond a second', () => {
  const { spend, pass, refusal } = budget(1_000_000);
  pass(3_600_000);
  spend(1_000_001);
  expect(refusal()).toBeDefined();
});

it('says when what was done beyond it is earned', () => {
  const { spend, pass, refusal } = budget(1_000_000);
  spend(3_500_000);
  expect(refusal()?.retryAfterSeconds).toBe(3);
  pass(1_000);
  expect(refusal()?.retryAfterSeconds).toBe(2);
  pass(1_501);
  expect(refusal()).toBeUndefined();
});

it('is low where one more decision may not fit', () => {
  const { spend, pass, isLow } = budget(1_000_000);
  spend(899_999);
  expect(isLow()).toBe(false);
  spend(1);
  expect(isLow()).toBe(true);
  pass(100);
  expect(isLow()).toBe(false);
});
