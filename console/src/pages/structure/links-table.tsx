import type { Address } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { text } from '../../text/english.js';
import { type Column, DataTable } from '../../ui/data-table.js';
import { RecordLink } from '../../ui/record-link.js';
import { type Graph, keyOf, type Rest } from './graph.js';
import { canOpen, kindNameOf, labelOf, labelOfRest } from './names.js';
import type { Edge } from './neighbours.js';
import styles from './structure-page.module.css';

type Row = { key: string; edge: Edge; rest?: undefined } | { key: string; edge?: undefined; rest: Rest };

const COLUMNS: readonly Column<Row>[] = [
  {
    title: text.structure.from,
    cell: ({ edge, rest }) =>
      edge === undefined ? (
        rest.inward ? (
          <RestLink rest={rest} />
        ) : (
          <End address={rest.of} />
        )
      ) : (
        <End address={edge.from} />
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
          <End address={rest.of} />
        ) : (
          <RestLink rest={rest} />
        )
      ) : (
        <>
          <End address={edge.to} />
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

/** The same as the picture, in words. */
export function LinksTable({ graph: { edges, rests } }: { graph: Graph }) {
  const rows: Row[] = [
    ...edges.map((edge) => ({ key: keyOf(edge), edge })),
    ...rests.map((rest) => ({ key: rest.id, rest })),
  ];
  if (rows.length === 0) return <p>{text.structure.alone}</p>;
  return <DataTable label={text.structure.table} columns={COLUMNS} rows={rows} keyOf={({ key }) => key} />;
}

function End({ address }: { address: Address }) {
  return (
    <>
      {canOpen(address) ? (
        <Link to="/structure" search={{ focus: address }}>
          {labelOf(address)}
        </Link>
      ) : (
        labelOf(address)
      )}{' '}
      <span className={styles.kind}>{kindNameOf(address)}</span>
    </>
  );
}

/** All links of a record stand on its own page. */
function RestLink({ rest }: { rest: Rest }) {
  return <RecordLink address={rest.of}>{labelOfRest(rest)}</RecordLink>;
}
