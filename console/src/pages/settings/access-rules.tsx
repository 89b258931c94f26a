import type { WireRecord } from '@authz-service/sdk/wire';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import type { FoundRecord } from '../../api/answers.js';
import { client } from '../../api/client.js';
import { CONSOLE_STACK, saveDraft, useDraft } from '../../api/draft.js';
import { draftedFields, withChange } from '../../api/drafted-changes.js';
import { useMay } from '../../api/session.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { DataTable } from '../../ui/data-table.js';
import { declaredFields } from '../../ui/declared-fields.js';
import { Empty } from '../../ui/empty.js';
import { Owner } from '../../ui/owner.js';
import { Paging } from '../../ui/paging.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { TimedText } from '../../ui/timed-text.js';
import { When } from '../../ui/when.js';
import styles from './settings-page.module.css';
import { SuspendRule } from './suspend-rule.js';

type Rule = WireRecord<'access_rule'>;

const PAGE_SIZE = 50;
const { rules: words } = text.settings;

/** The access rules: whether each holds, and suspending them, by way of the draft. */
export function AccessRules() {
  const may = useMay('access-rules');
  const draft = useDraft();
  const navigate = useNavigate();
  const [cursors, setCursors] = useState<string[]>([]);
  const [suspending, setSuspending] = useState<{ rule: Rule; revision: string }>();
  const { data, error, refetch, isPlaceholderData } = useQuery({
    queryKey: ['records', 'access_rule', 'all', cursors.at(-1)],
    queryFn: async ({ signal }) => {
      // Before the page: a draft may be for an earlier revision than its fields, never for a later one.
      const newest = await client.commits({ limit: 1 }, signal);
      const page = await client.records('access_rule').page({}, { limit: PAGE_SIZE, cursor: cursors.at(-1), signal });
      return { ...page, revision: newest.items[0]?.revision ?? '' };
    },
    placeholderData: keepPreviousData,
  });
  const broken = useQuery({
    queryKey: ['access-rule-violations'],
    queryFn: ({ signal }) => client.accessRuleViolations({ signal }),
    staleTime: 60_000,
  });
  const revision = data?.revision ?? '';
  /** Takes the rule, as it was shown at `shownAt`, with other fields into the draft, which is for its owner if it has just begun. */
  const toDraft = (
    rule: Rule,
    shownAt: string,
    change: (fields: Record<string, unknown>) => Record<string, unknown>,
  ) => {
    const { address, managed_by } = rule;
    const fields = change(draftedFields(draft, address) ?? declaredFields(rule as unknown as FoundRecord));
    const stack = managed_by === 'api' ? CONSOLE_STACK : managed_by;
    const begun = draft.changes.length === 0 ? { ...draft, stack } : draft;
    saveDraft(withChange(begun, { op: 'update', address, fields }, shownAt));
    void navigate({ to: '/change' });
  };
  const resume = (rule: Rule) =>
    toDraft(rule, revision, ({ suspended_until: _, suspension_reason: __, ...others }) => others);
  return (
    <>
      <div className={styles.head}>
        <p>{words.hint}</p>
        {may ? (
          <Link to="/change" search={{ add: 'access_rule' }}>
            {words.make}
          </Link>
        ) : (
          <p>{words.notAllowed}</p>
        )}
      </div>
      {error && <ProblemNote error={error} retry={() => refetch()} />}
      {broken.error && <ProblemNote error={broken.error} retry={() => broken.refetch()} />}
      {data === undefined && !error && <p role="status">{text.common.loading}</p>}
      {data?.items.length === 0 && <Empty title={words.noneYet} />}
      {data !== undefined && data.items.length > 0 && (
        <DataTable<Rule>
          label={text.settings.area.rules}
          rows={data.items}
          keyOf={({ id }) => id}
          stale={isPlaceholderData}
          columns={[
            {
              title: words.rule,
              cell: ({ address, name, description, mode }) => (
                <>
                  <RecordLink address={address}>{name}</RecordLink>{' '}
                  <Badge tone={mode === 'warn' ? 'warn' : 'plain'}>{mode}</Badge>
                  {description !== undefined && <p className={styles.muted}>{description}</p>}
                </>
              ),
            },
            {
              title: words.now,
              cell: ({ address }) => {
                const own = broken.data?.violations.filter(({ rule }) => rule === address) ?? [];
                if (broken.data === undefined) return text.common.loading;
                if (own.length === 0) return <Badge tone="good">{words.holds}</Badge>;
                return (
                  <details>
                    <summary>
                      <Badge tone="bad">{words.broken(own.length, broken.data.more)}</Badge>
                    </summary>
                    <ul className={styles.violations}>
                      {own.map(({ detail, witness }) => (
                        <li key={JSON.stringify(witness)}>
                          <TimedText text={detail} />
                        </li>
                      ))}
                    </ul>
                  </details>
                );
              },
            },
            {
              title: words.suspended,
              cell: ({ suspended_until: until, suspension_reason: reason }) =>
                until === undefined ? (
                  words.notSuspended
                ) : (
                  <>
                    <When at={until} /> <p className={styles.muted}>{reason}</p>
                  </>
                ),
            },
            { title: text.common.owner, cell: ({ managed_by }) => <Owner name={managed_by} />, lesser: true },
            ...(may
              ? [
                  {
                    title: words.change,
                    cell: (rule: Rule) => (
                      <span className={styles.badges}>
                        {rule.suspended_until === undefined ? (
                          <Button
                            small
                            aria-label={`${words.suspend}: ${rule.name}`}
                            onPress={() => setSuspending({ rule, revision })}
                          >
                            {words.suspend}
                          </Button>
                        ) : (
                          <Button small aria-label={`${words.resume}: ${rule.name}`} onPress={() => resume(rule)}>
                            {words.resume}
                          </Button>
                        )}
                        <Link to="/change" search={{ edit: rule.address }} aria-label={`${words.change}: ${rule.name}`}>
                          {words.change}
                        </Link>
                      </span>
                    ),
                  },
                ]
              : []),
          ]}
        />
      )}
      <Paging
        number={cursors.length + 1}
        more={data?.next_cursor !== undefined && !isPlaceholderData}
        onPrevious={() => setCursors(cursors.slice(0, -1))}
        onNext={() => setCursors([...cursors, data?.next_cursor ?? ''])}
      />
      {suspending && (
        <SuspendRule
          name={suspending.rule.name}
          onClose={() => setSuspending(undefined)}
          onDone={(suspension) =>
            toDraft(suspending.rule, suspending.revision, (fields) => ({ ...fields, ...suspension }))
          }
        />
      )}
    </>
  );
}
