import type { Candidate } from '@authz-service/sdk/decision';
import type { Address } from '@authz-service/sdk/wire';
import { useQuery } from '@tanstack/react-query';
import { useMemo } from 'react';
import { client } from '../../api/client.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Card } from '../../ui/card.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import layout from '../../ui/layout.module.css';
import { lazily } from '../../ui/lazily.js';
import { RecordLink } from '../../ui/record-link.js';
import { canOpen, kindNameOf, labelOf } from '../structure/names.js';
import styles from './ask-page.module.css';
import { type PathGraph, pathGraph, type Step } from './path-graph.js';

const DecisionPicture = lazily(async () => (await import('./decision-picture.js')).default);

/** As many as a picture holds. */
const PARENTS_MAX = 8;

interface Props {
  candidates: readonly Candidate[];
  deciding: Candidate | undefined;
  /** The address of the resource, whether or not it has a record. */
  resource: Address;
  /** Whether the question is about the present: what the resource lies in is read from there. */
  present: boolean;
}

/** The ways from the subject to the resource as a picture, and the same as a table. */
export function DecisionPaths({ candidates, deciding, resource, present }: Props) {
  const { data: place } = useQuery({
    queryKey: ['lies-in', resource],
    queryFn: ({ signal }) => readPlace(resource, signal),
    enabled: present,
  });
  const graph = useMemo(
    () => pathGraph(resource, candidates, deciding, place?.parents ?? []),
    [resource, candidates, deciding, place],
  );
  if (graph.nodes.length === 0 || (present && place === undefined)) return null;
  const recorded = place?.recorded ?? false;
  return (
    <Card title={text.ask.picture}>
      <p className={layout.hint}>{text.ask.pictureHint}</p>
      <DecisionPicture key={graph.nodes.join(' ')} graph={graph} resource={resource} recorded={recorded} />
      {graph.left > 0 && <p className={layout.hint}>{text.ask.moreWays(graph.left)}</p>}
      <DataTable
        label={text.ask.pictureTable}
        columns={columnsOf(graph, (address) => canOpen(address) && (address !== resource || recorded))}
        rows={graph.steps}
        keyOf={({ from, to, place: on = '' }) => `${from} ${to} ${on}`}
      />
    </Card>
  );
}

/** Reads what the resource lies in, and so on upwards. One without a record lies nowhere known. */
async function readPlace(resource: Address, signal: AbortSignal) {
  const parents: [Address, Address][] = [];
  const seen = new Set([resource]);
  let recorded = false;
  for (const address of seen) {
    try {
      const { references } = await client.links({ address, kind: 'resource', limit: 1 }, signal);
      recorded = true;
      for (const { pointer, address: parent } of references) {
        if (!pointer.startsWith('/parents') || parents.length >= PARENTS_MAX) continue;
        parents.push([address, parent]);
        seen.add(parent);
      }
    } catch (error) {
      if (signal.aborted) throw error;
    }
  }
  return { parents, recorded };
}

function columnsOf({ policies, steps }: PathGraph, isRecord: (address: Address) => boolean): readonly Column<Step>[] {
  const end = (address: Address) => {
    const policy = policies.get(address);
    const kind = [kindNameOf(address), policy && text.ask.cameOf(policy)].filter(Boolean).join(' · ');
    return (
      <>
        {isRecord(address) ? <RecordLink address={address}>{labelOf(address)}</RecordLink> : labelOf(address)}{' '}
        <span className={styles.kind}>{kind}</span>
      </>
    );
  };
  return [
    { title: text.structure.from, cell: ({ from }) => end(from) },
    {
      title: text.structure.relation,
      cell: ({ relation }) => <span className={styles.relation}>{text.structure.relations[relation]}</span>,
    },
    {
      title: text.structure.to,
      cell: ({ to, place }) => (
        <>
          {end(to)}
          {place !== undefined && ` ${text.structure.on(place)}`}
        </>
      ),
    },
    ...(steps.some(({ deciding }) => deciding)
      ? [{ title: text.ask.decided, cell: ({ deciding }: Step) => deciding && <Badge>{text.ask.decided}</Badge> }]
      : []),
  ];
}
