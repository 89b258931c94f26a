import type { Address } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { RecordLink } from '../../ui/record-link.js';
import type { Edge } from './edge.js';
import { type Graph, keyOf, type Rest } from './graph.js';
import { canOpen, kindNameOf, labelOf, labelOfRest } from './names.js';
import styles from './structure-page.module.css';

type Row = { key: string; edge: Edge; rest?: undefined } | { key: string; edge?: undefined; rest: Rest };

const columnsOf = (denying: ReadonlySet<Address>, onMore: (rest: Rest) => void): readonly Column<Row>[] => [
  {
    title: text.structure.from,
    cell: ({ edge, rest }) =>
      edge === undefined ? (
        rest.inward ? (
          <RestLink rest={rest} onMore={onMore} />
        ) : (
          <End address={rest.of} denying={denying} />
        )
      ) : (
        <End address={edge.from} denying={denying} />
      ),
  },
  {
    title: text.structure.relation,
    cell: ({ edge, rest }) => text.structure.relations[(edge ?? rest).relation],
  },
  {
    title: text.structure.to,
    cell: ({ edge, rest }) =>
      edge === undefined ? (
        rest.inward ? (
          <End address={rest.of} denying={denying} />
        ) : (
          <RestLink rest={rest} onMore={onMore} />
        )
      ) : (
        <>
          <End address={edge.to} denying={denying} />
          {edge.place !== undefined && ` ${text.structure.on(edge.place)}`}
        </>
      ),
  },
  {
    title: text.structure.record,
    lesser: true,
    cell: ({ edge }) =>
      edge !== undefined &&
      (edge.by === undefined ? (
        text.structure.itself
      ) : (
        <RecordLink address={edge.by}>{text.records.theLink}</RecordLink>
      )),
  },
];

interface Props {
  graph: Graph;
  denying: ReadonlySet<Address>;
  onMore: (rest: Rest) => void;
}

/** The same as the picture, in words. */
export function LinksTable({ graph: { edges, rests }, denying, onMore }: Props) {
  const rows: Row[] = [
    ...edges.map((edge) => ({ key: keyOf(edge), edge })),
    ...rests.map((rest) => ({ key: rest.id, rest })),
  ];
  if (rows.length === 0) return <p>{text.structure.alone}</p>;
  return (
    <DataTable label={text.structure.table} columns={columnsOf(denying, onMore)} rows={rows} keyOf={({ key }) => key} />
  );
}

function End({ address, denying }: { address: Address; denying: ReadonlySet<Address> }) {
  return (
    <>
      {canOpen(address) ? (
        <Link to="/structure" search={{ focus: address }}>
          {labelOf(address)}
        </Link>
      ) : (
        labelOf(address)
      )}{' '}
      <span className={styles.kind}>{kindNameOf(address)}</span>{' '}
      {denying.has(address) && <Badge tone="bad">{text.structure.deny}</Badge>}
    </>
  );
}

/** Shows more of them; all links of a record stand on its own page. */
function RestLink({ rest, onMore }: { rest: Rest; onMore: (rest: Rest) => void }) {
  if (rest.room)
    return (
      <Button small onPress={() => onMore(rest)}>
        {text.structure.showMore(labelOfRest(rest))}
      </Button>
    );
  return <RecordLink address={rest.of}>{labelOfRest(rest)}</RecordLink>;
}
