import type { ComparedMoment, Comparison } from '@authz-service/sdk/console-client';
import { useQuery } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useId, useState } from 'react';
import { client } from '../../api/client.js';
import { compare } from '../../text/compare.js';
import { text } from '../../text/english.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import { Empty } from '../../ui/empty.js';
import { TextField } from '../../ui/field.js';
import { FindingsTable, type ShownDelta } from '../../ui/findings-table.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { timeText, When } from '../../ui/when.js';
import { useComparison } from './access-between.js';
import { ChangedRecord } from './changed-record.js';
import { numberOf } from './commit-list.js';
import styles from './compare-page.module.css';

/** The differences between two revisions or times; both are in the address of the page. */
export function ComparePage() {
  const { before = '', after = '' } = usePageSearch();
  const { data, error, refetch } = useComparison(before, after === '' ? undefined : after);
  return (
    <>
      <PageHeader title={compare.title} over={<Link to="/history">{text.history.all}</Link>} under={compare.under} />
      <div className={styles.page}>
        <Moments key={`${before} ${after}`} before={before} after={after} />
        {before === '' && <Empty title={compare.hint} />}
        {error && <ProblemNote error={error} retry={() => refetch()} />}
        {before !== '' && data === undefined && !error && <p role="status">{compare.finding}</p>}
        {data !== undefined && <Found comparison={data} />}
      </div>
    </>
  );
}

/** Chooses the two moments; the latest revisions are proposed. */
function Moments({ before, after }: { before: string; after: string }) {
  const [filled, setFilled] = useState({ before, after });
  const [missing, setMissing] = useState(false);
  const navigate = useNavigate();
  const list = useId();
  const latest = useQuery({
    queryKey: ['audit', {}, undefined],
    queryFn: ({ signal }) => client.commits({ limit: 50 }, signal),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const search = { before: filled.before.trim(), after: filled.after.trim() };
    setMissing(search.before === '');
    if (search.before !== '') void navigate({ to: '/compare', search });
  };
  return (
    <search>
      <form className={styles.form} onSubmit={submit}>
        <TextField
          label={compare.before}
          hint={compare.pointHint}
          fault={missing ? compare.beforeNeeded : undefined}
          placeholder={compare.example}
          list={list}
          value={filled.before}
          onChange={(value) => setFilled({ ...filled, before: value })}
        />
        <TextField
          label={compare.after}
          hint={compare.afterHint}
          list={list}
          value={filled.after}
          onChange={(value) => setFilled({ ...filled, after: value })}
        />
        <datalist id={list}>
          {latest.data?.items.map(({ revision, at, credential }) => (
            <option key={revision} value={numberOf(revision)}>
              {compare.option(numberOf(revision), timeText(at), credential.name)}
            </option>
          ))}
        </datalist>
        <Button type="submit" kind="primary">
          {compare.show}
        </Button>
      </form>
    </search>
  );
}

function Found({ comparison: { before, after, counts, changes, access, finding_count } }: { comparison: Comparison }) {
  const all = counts.added + counts.changed + counts.removed;
  return (
    <>
      <Card title={compare.moments}>
        <div className={styles.moments}>
          <OneMoment label={compare.before} moment={before} />
          <OneMoment label={compare.after} moment={after} />
        </div>
        <p className={layout.hint}>{compare.clockHint}</p>
      </Card>
      <FindingsTable delta={access as unknown as ShownDelta} all={finding_count} />
      <Card title={compare.records}>
        <p>{all === 0 ? compare.same : text.history.counts(counts)}</p>
        <ul>
          {changes.map((change) => (
            <ChangedRecord
              key={change.address}
              change={change}
              before={Number(numberOf(before.revision))}
              after={Number(numberOf(after.revision))}
            />
          ))}
        </ul>
        {all > changes.length && <p className={layout.hint}>{compare.more(changes.length, all)}</p>}
      </Card>
    </>
  );
}

function OneMoment({ label, moment: { revision, committed_at, erased } }: { label: string; moment: ComparedMoment }) {
  const number = numberOf(revision);
  return (
    <div>
      <p className={styles.label}>{label}</p>
      <p>
        <Link to="/revision" search={{ number }}>
          {text.history.revision(number)}
        </Link>
        , {compare.committed} <When at={committed_at} />
      </p>
      <p>
        <Link to="/ask" search={{ at: number }}>
          {compare.asOf}
        </Link>
      </p>
      {erased > 0 && <p className={layout.hint}>{compare.erased(erased)}</p>}
    </div>
  );
}
