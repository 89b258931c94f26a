import type { Address, WireRecord } from '@authz-service/sdk/wire';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Card } from '../../ui/card.js';
import { lazily } from '../../ui/lazily.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { kindOf, pathOf, RecordLink } from '../../ui/record-link.js';
import type { Neighbourhood } from './edge.js';
import { graphOf, MORE, NODES_MAX, type Rest, withWholeApplications } from './graph.js';
import { LinksTable } from './links-table.js';
import { labelOf } from './names.js';
import { readNeighbourhood } from './neighbours.js';
import styles from './structure-page.module.css';

const Picture = lazily(async () => (await import('./picture.js')).default);

/** The neighbourhood of one record, and of those that are opened in its picture. */
export function Neighbours({ focus }: { focus: Address }) {
  const [opened, setOpened] = useState<readonly Address[]>([focus]);
  const answers = useQueries({
    queries: opened.map((address) => ({
      queryKey: ['structure', address],
      queryFn: ({ signal }: { signal: AbortSignal }) => readNeighbourhood(address, signal),
    })),
  });
  const failed = answers.find(({ error }) => error !== null);
  const read = answers.flatMap(({ data }): Neighbourhood[] => (data === undefined ? [] : [data]));
  if (failed?.error) return <ProblemNote error={failed.error} retry={() => failed.refetch()} />;
  // The first one is the focus: without it there is nothing to draw.
  if (answers[0]?.data === undefined) return <p role="status">{text.common.loading}</p>;
  return <Drawn key={focus} focus={focus} read={read} opened={opened} onOpened={setOpened} />;
}

interface Props {
  focus: Address;
  read: readonly Neighbourhood[];
  opened: readonly Address[];
  onOpened: (opened: readonly Address[]) => void;
}

function Drawn({ focus, read, opened, onOpened }: Props) {
  const [chosen, setChosen] = useState(focus);
  const [more, setMore] = useState<Readonly<Record<string, number>>>({});
  const linked = graphOf(focus, read, more);
  const policies = usePolicies(linked.nodes.filter((address) => kindOf(address) === 'policy'));
  const denying = new Set(policies.filter(({ effect }) => effect === 'DENY').map(({ address }) => address));
  const whole = policies.flatMap(({ address, application, resource_types }): [Address, string][] =>
    application !== undefined && resource_types?.includes('*') === true ? [[address, application]] : [],
  );
  const graph = withWholeApplications(linked, new Map(whole));
  const press = (address: Address) => {
    setChosen(address);
    if (address === focus) return;
    onOpened(opened.includes(address) ? opened.filter((one) => one !== address) : [...opened, address]);
  };
  const showMore = ({ id }: Rest) => setMore((shown) => ({ ...shown, [id]: (shown[id] ?? 0) + MORE }));
  return (
    <>
      <Card title={text.structure.picture}>
        <p className={styles.hint}>{text.structure.pictureHint}</p>
        {graph.edges.length === 0 && <p>{text.structure.alone}</p>}
        <Picture
          graph={graph}
          focus={focus}
          chosen={chosen}
          opened={opened}
          denying={denying}
          onMore={showMore}
          onPress={press}
        />
        {graph.full && <p role="status">{text.structure.full(NODES_MAX)}</p>}
        <p className={styles.chosen}>
          <span className={styles.kind}>{text.structure.chosen}</span> <strong>{labelOf(chosen)}</strong>
          {chosen !== focus && (
            <Link to="/structure" search={{ focus: chosen }}>
              {text.structure.focus}
            </Link>
          )}
          <RecordLink address={chosen}>{text.structure.open}</RecordLink>
        </p>
      </Card>
      <Card title={text.structure.table}>
        <LinksTable graph={graph} denying={denying} onMore={showMore} />
      </Card>
    </>
  );
}

/** Those of these policies that have been read: links say neither whether a policy denies nor that it covers every type. */
function usePolicies(addresses: readonly Address[]): WireRecord<'policy'>[] {
  const answers = useQueries({
    queries: addresses.map((address) => ({
      queryKey: ['record', address],
      queryFn: ({ signal }: { signal: AbortSignal }) => client.records('policy').get(pathOf(address), { signal }),
    })),
  });
  return answers.flatMap(({ data }) => (data === undefined ? [] : [data]));
}
