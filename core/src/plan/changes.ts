import type { Change } from '../state/change.js';
import type { Plan, PlannedChange } from './plan.js';

/** The change-set that makes exactly this plan. Where it takes ownership, the change-set must ask for that too. */
export function planChanges(plan: Plan): Change[] {
  return plan.changes.flatMap(changesFor);
}

function changesFor(change: PlannedChange): Change[] {
  const { kind, address } = change;
  switch (change.action) {
    case 'create':
      return [{ op: 'create', kind, fields: change.fields }];
    case 'update':
      return [{ op: 'update', address, fields: change.fields }];
    case 'move': {
      const move: Change = { op: 'move', from: change.from, to: address };
      return change.differences.length === 0 ? [move] : [move, { op: 'update', address, fields: change.fields }];
    }
    case 'adopt':
      return [{ op: 'adopt', address }];
    case 'delete':
      return [{ op: 'delete', address }];
  }
}
