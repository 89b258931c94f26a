import type { Change } from '@authz-service/sdk/wire';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { saveIfSame } from '../../api/draft.js';
import type { Draft } from '../../api/drafted-changes.js';
import { text } from '../../text/english.js';
import { Badge } from '../../ui/badge.js';
import { Button } from '../../ui/button.js';
import { Card } from '../../ui/card.js';
import layout from '../../ui/layout.module.css';
import { ProblemNote } from '../../ui/problem-note.js';
import { RecordLink } from '../../ui/record-link.js';
import styles from './base-moved.module.css';
import { type Conflict, type RebasedChange, rebase, resolved } from './rebase.js';

type Side = 'mine' | 'theirs';

/** Takes a draft to the newest revision after others have committed: what they changed stays, unless somebody chooses otherwise. */
export function BaseMoved({ draft, newest }: { draft: Draft; newest: string }) {
  const save = (changes: Change[]) => saveIfSame(draft, { ...draft, base: newest, changes });
  const [fought, setFought] = useState<RebasedChange[]>();
  const take = useMutation({
    mutationFn: () => rebase(draft),
    onSuccess: (rebased) => {
      if (rebased.some(({ conflicts }) => conflicts.length > 0)) setFought(rebased);
      else save(resolved(rebased, new Set()));
    },
  });
  return (
    <Card title={text.change.moved.title}>
      <p role="status">{text.change.moved.why(draft.base, newest)}</p>
      {take.error && <ProblemNote error={take.error} title={text.errors.notDone} />}
      {fought === undefined ? (
        <div>
          <Button kind="primary" isDisabled={take.isPending} onPress={() => take.mutate()}>
            {text.change.rebase}
          </Button>
        </div>
      ) : (
        <Conflicts
          conflicts={fought.flatMap(({ conflicts }) => conflicts)}
          onChosen={(theirs) => save(resolved(fought, theirs))}
        />
      )}
    </Card>
  );
}

/** Asks whose side each conflict takes; `onChosen` gets those that take the others'. */
function Conflicts({ conflicts, onChosen }: { conflicts: Conflict[]; onChosen: (theirs: Set<Conflict>) => void }) {
  const [sides, setSides] = useState<Record<number, Side>>({});
  const done = conflicts.every((_, index) => sides[index] !== undefined);
  return (
    <>
      <p>{text.change.moved.choose}</p>
      <ul className={styles.conflicts}>
        {conflicts.map((conflict, index) => {
          const { address, field } = conflict;
          return (
            <li key={`${address} ${field}`}>
              <fieldset className={styles.sides}>
                <legend>
                  <RecordLink address={address}>{address}</RecordLink>
                  {field !== undefined && <Badge>{field}</Badge>}
                </legend>
                {(['mine', 'theirs'] as const).map((side) => (
                  <label key={side}>
                    <input
                      type="radio"
                      name={`${address} ${field}`}
                      checked={sides[index] === side}
                      onChange={() => setSides({ ...sides, [index]: side })}
                    />
                    <span>
                      {text.change.moved[side]} <code>{shown(conflict[side], conflict)}</code>
                    </span>
                  </label>
                ))}
              </fieldset>
            </li>
          );
        })}
      </ul>
      <div className={layout.buttons}>
        <Button
          kind="primary"
          isDisabled={!done}
          onPress={() => onChosen(new Set(conflicts.filter((_, index) => sides[index] === 'theirs')))}
        >
          {text.change.moved.go}
        </Button>
      </div>
    </>
  );
}

function shown(value: unknown, { field }: Conflict): string {
  if (value === undefined) return field === undefined ? text.change.moved.removed : text.change.notSet;
  return typeof value === 'string' ? value : JSON.stringify(value);
}
