import type { Address } from '@authz-service/sdk/wire';
import { Link } from '@tanstack/react-router';
import { Handle, Position } from '@xyflow/react';
import { text } from '../../text/english.js';
import { Breakable } from '../../ui/breakable.js';
import { kindOf } from '../../ui/record-link.js';
import { useReveal } from './flow-picture.js';
import type { Rest } from './graph.js';
import { canOpen, kindNameOf, labelOf, labelOfRest } from './names.js';
import styles from './picture.module.css';

export interface RecordNodeData extends Record<string, unknown> {
  address: Address;
  focus: boolean;
  chosen: boolean;
  opened: boolean;
  /** A policy that denies. */
  denies: boolean;
  onPress: (address: Address) => void;
}

export function RecordNode({ data }: { data: RecordNodeData }) {
  const { address, focus, chosen, opened, denies, onPress } = data;
  const reveal = useReveal(address);
  const words = (
    <>
      <span className={styles.kind}>
        {kindNameOf(address)}
        {denies && <span className={styles.deny}> {text.structure.deny}</span>}
      </span>
      <span className={styles.name}>
        <Breakable text={labelOf(address)} />
      </span>
    </>
  );
  const names = [styles.node, focus && styles.focus, chosen && styles.chosen, denies && styles.denies]
    .filter(Boolean)
    .join(' ');
  return (
    <>
      <Ends />
      {canOpen(address) ? (
        <button
          type="button"
          className={names}
          data-kind={kindOf(address)}
          title={labelOf(address)}
          aria-expanded={opened}
          onClick={() => onPress(address)}
          onFocus={reveal}
        >
          {words}
        </button>
      ) : (
        <div className={names}>{words}</div>
      )}
    </>
  );
}

export interface RestNodeData extends Record<string, unknown> {
  rest: Rest;
  onMore: (rest: Rest) => void;
}

/** Shows more of the links; where there is no room, it leads to the page of the record, which has all of them. */
export function RestNode({ data: { rest, onMore } }: { data: RestNodeData }) {
  const names = `${styles.node} ${styles.more}`;
  const reveal = useReveal(rest.id);
  return (
    <>
      <Ends />
      {rest.room ? (
        <button type="button" className={names} onClick={() => onMore(rest)} onFocus={reveal}>
          {labelOfRest(rest)}
        </button>
      ) : (
        <Link to="/record" search={{ address: rest.of }} className={names} onFocus={reveal}>
          {labelOfRest(rest)}
        </Link>
      )}
    </>
  );
}

/** The ends of the lines at a node. */
export function Ends({ down = false }: { down?: boolean }) {
  const [before, after] = down ? [Position.Top, Position.Bottom] : [Position.Left, Position.Right];
  return (
    <>
      <Handle type="target" position={before} isConnectable={false} className={styles.end} />
      <Handle type="source" position={after} isConnectable={false} className={styles.end} />
    </>
  );
}
