import type { ReviewRow } from '@authz-service/sdk/console-client';
import { review } from '../../text/review.js';
import { RecordLink } from '../../ui/record-link.js';
import { When } from '../../ui/when.js';
import styles from './review-page.module.css';

/** How access comes about: groups and roles in order, and the policy. */
export function Ways({ ways }: Pick<ReviewRow, 'ways'>) {
  return (
    <ul className={styles.way}>
      {ways.map(({ through, policy, place, since }) => (
        <li key={[...through, policy, place].join(' ')}>
          {through.length === 0 && <span className={styles.minor}>{review.own} › </span>}
          {through.map((address) => (
            <span key={address}>
              {/^(group|role)\//.test(address) ? <RecordLink address={address}>{address}</RecordLink> : address}
              {' › '}
            </span>
          ))}
          <RecordLink address={policy}>{policy}</RecordLink>
          {place !== undefined && <span className={styles.minor}> {review.on(place)}</span>}
          {since !== undefined && (
            <p className={styles.minor}>
              {review.sinceThen} <When at={since} />
            </p>
          )}
        </li>
      ))}
    </ul>
  );
}
