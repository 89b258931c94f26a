import { isSuspendedAt } from '@authz-service/core/records/suspension';
import type { WireRecord } from '@authz-service/sdk/wire';
import { people as words } from '../text/people.js';
import { Badge } from './badge.js';
import styles from './suspended-badge.module.css';

export type Suspension = Pick<WireRecord<'subject'>, 'suspended' | 'suspended_until' | 'suspension_reason'>;

/** The suspension of a subject's record that counts at this moment; undefined if none does. */
export function presentSuspension(record: Suspension | undefined): Suspension | undefined {
  return record !== undefined && isSuspendedAt(record, Date.now()) ? record : undefined;
}

/** Says by text and picture that a subject may do nothing. */
export function SuspendedBadge() {
  return (
    <Badge tone="bad">
      <svg className={styles.sign} viewBox="0 0 16 16" aria-hidden="true">
        <circle cx="8" cy="8" r="6" />
        <path d="M3.8 12.2 12.2 3.8" />
      </svg>
      {words.suspension.suspended}
    </Badge>
  );
}
