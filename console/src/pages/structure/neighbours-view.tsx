import type { Address } from '@authz-service/sdk/wire';
import { useQueries } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { text } from '../../text/english.js';
import { Card } from '../../ui/card.js';
import { lazily } from '../../ui/lazily.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import { graphOf, NODES_MAX } from './graph.js';
import { LinksTable } from './links-table.js';
import { labelOf } from './names.js';
import { type Neighbourhood, readNeighbourhood } from './neighbours.js';
import styles from './structure-page.module.css';

const Picture = lazily(async () => (await import('./picture.js')).default);

/** The neighbourhood of one record, and of those that are opened in its picture. */
export function Neighbours({ focus }: { focus: Address }) {
  const [opened, setOpened] = useState<readonly Address[]>([focus]);
  const [chosen, setChosen] = useState(focus);
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
  const graph = graphOf(focus, read);
  const press = (address: Address) => {
    setChosen(address);
    if (address === focus) return;
    setOpened(opened.includes(address) ? opened.filter((one) => one !== address) : [...opened, address]);
  };
  return (
    <>
      <Card title={text.structure.picture}>
        <p className={styles.hint}>{text.structure.pictureHint}</p>
        {graph.edges.length === 0 && <p>{text.structure.alone}</p>}
        <Picture graph={graph} focus={focus} chosen={chosen} opened={opened} onPress={press} />
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
        <LinksTable graph={graph} />
      </Card>
    </>
  );
}
