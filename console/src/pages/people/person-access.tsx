import type { AccessReview, ReviewRow } from '@authz-service/sdk/console-client';
import { text } from '../../text/english.js';
import { people as words } from '../../text/people.js';
import { review } from '../../text/review.js';
import { Badge } from '../../ui/badge.js';
import { Breakable } from '../../ui/breakable.js';
import { Card } from '../../ui/card.js';
import { Condition } from '../../ui/condition.js';
import layout from '../../ui/layout.module.css';
import { RecordLink } from '../../ui/record-link.js';
import { actionsText, resourceLines } from '../../ui/resource-lines.js';
import { When } from '../../ui/when.js';
import { Ways } from '../review/ways.js';
import styles from './person-page.module.css';

/** Everything that a subject can do, by application and type of resources: what is always so comes before what depends on the request. */
export function PersonAccess({ name, found, suspended }: { name: string; found: AccessReview; suspended: boolean }) {
  const { rows, row_count, complete } = found;
  const byApplication = Map.groupBy(rows, (row) => typeOf(row).split('/')[0] ?? '');
  const open = rows.filter(({ condition }) => condition !== null).length;
  const ending = rows.filter(({ until }) => until !== null).length;
  return (
    <Card title={words.can(name)}>
      {rows.length === 0 && <p>{suspended ? words.suspension.cannot : words.cannot}</p>}
      {rows.length > 0 && <p className={styles.sum}>{words.sum(byApplication.size, rows.length, open, ending)}</p>}
      {!complete && <p className={styles.warning}>{words.incomplete}</p>}
      {[...byApplication].map(([application, ofApplication]) => (
        <section key={application} aria-label={application} className={styles.application}>
          <h3>
            <RecordLink address={`application/${application}`}>{application}</RecordLink>
          </h3>
          {[...Map.groupBy(ofApplication, typeOf)].map(([type, ofType]) => (
            <div key={type} className={styles.type}>
              <h4>
                <RecordLink address={`resource_type/${type}`}>{type.slice(application.length + 1)}</RecordLink>
              </h4>
              <ul className={styles.rows} aria-label={type}>
                {ofType.toSorted(alwaysFirst).map((row) => (
                  <li key={row.id}>
                    <Row row={row} />
                  </li>
                ))}
              </ul>
            </div>
          ))}
        </section>
      ))}
      {row_count > rows.length && <p className={layout.hint}>{words.more(rows.length, row_count)}</p>}
      <p className={layout.hint}>{words.requestRoles}</p>
    </Card>
  );
}

function Row({ row }: { row: ReviewRow }) {
  const { actions, actions_except, resources, condition, unclear, from, until, ways } = row;
  const limited = condition !== null || unclear === true || from !== null || until !== null;
  return (
    <>
      <p>
        <strong>{actionsText(actions, actions_except)}</strong>{' '}
        <span className={styles.on}>
          {resources.flatMap(resourceLines).map((line, at) => (
            <span key={line}>
              {at > 0 && ', '}
              <Breakable text={line} />
            </span>
          ))}
        </span>
      </p>
      {limited && (
        <p className={styles.limits}>
          {condition !== null && (
            <>
              <Badge tone="warn">{words.only}</Badge> <Condition text={condition} />{' '}
            </>
          )}
          {unclear && `${review.unclear} `}
          {from !== null && (
            <>
              {words.from} <When at={from} />{' '}
            </>
          )}
          {until !== null && (
            <>
              {words.until} <When at={until} />
            </>
          )}
        </p>
      )}
      <div className={styles.by}>
        <span>{words.by}</span>
        {ways.length === 0 ? text.common.none : <Ways ways={ways} />}
      </div>
    </>
  );
}

/** The type of the resources of a row, which are all of one. */
function typeOf({ resources }: ReviewRow): string {
  return resources[0]?.type ?? '';
}

function alwaysFirst(left: ReviewRow, right: ReviewRow): number {
  return Number(left.condition !== null) - Number(right.condition !== null);
}
