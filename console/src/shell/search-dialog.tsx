import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type KeyboardEvent, type RefObject, useId, useState } from 'react';
import type { FoundRecord } from '../api/answers.js';
import { client } from '../api/client.js';
import { KIND_TEXTS, text } from '../text/english.js';
import { Dialog } from '../ui/dialog.js';
import { ProblemNote } from '../ui/problem-note.js';
import { kindOf, pathOf } from '../ui/record-link.js';
import styles from './search-dialog.module.css';

interface Props {
  /** The text that was typed before this was loaded. */
  typed: RefObject<string>;
  onClose: () => void;
}

/** Finds a record of any kind while its name is being typed. */
export default function SearchDialog({ typed, onClose }: Props) {
  const [words, setWords] = useState(() => typed.current);
  const [chosen, setChosen] = useState(0);
  const list = useId();
  const navigate = useNavigate();
  const sought = words.trim();
  const { data, error, isPlaceholderData } = useQuery({
    queryKey: ['search', sought],
    queryFn: ({ signal }) => client.search({ q: sought, limit: 20 }, signal),
    enabled: sought !== '',
    placeholderData: keepPreviousData,
  });
  const items = sought === '' ? [] : (data?.items ?? []);
  const active = Math.min(chosen, items.length - 1);
  const open = ({ address }: FoundRecord) => {
    onClose();
    void (kindOf(address) === 'subject'
      ? navigate({ to: '/person', search: { subject: pathOf(address) } })
      : navigate({ to: '/record', search: { address } }));
  };
  const press = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const record = items[active];
    if (step !== undefined) setChosen(Math.max(0, Math.min(items.length - 1, active + step)));
    else if (event.key === 'Enter' && record !== undefined) open(record);
    else return;
    event.preventDefault();
  };
  const status =
    sought === ''
      ? text.search.hint
      : data === undefined || isPlaceholderData
        ? text.search.searching
        : items.length === 0
          ? text.search.nothing(sought)
          : text.search.more(items.length);
  return (
    <Dialog title={text.search.label} untitled onClose={onClose}>
      <input
        className={styles.input}
        type="search"
        role="combobox"
        aria-label={text.search.label}
        aria-expanded={items.length > 0}
        aria-controls={list}
        aria-activedescendant={items.length > 0 ? `${list}-${active}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        autoFocus
        placeholder={text.search.placeholder}
        value={words}
        onChange={({ target }) => {
          setWords(target.value);
          setChosen(0);
        }}
        onKeyDown={press}
      />
      {error && <ProblemNote error={error} />}
      <div id={list} role="listbox" aria-label={text.records.found} className={styles.list}>
        {items.map((record, index) => (
          <div
            key={record.address}
            id={`${list}-${index}`}
            role="option"
            tabIndex={-1}
            aria-selected={index === active}
            className={styles.option}
            onClick={() => open(record)}
            onKeyDown={press}
          >
            <span className={styles.name}>{pathOf(record.address)}</span>
            {record.name !== undefined && !record.address.endsWith(`/${record.name}`) && (
              <span className={styles.also}>{record.name}</span>
            )}
            <span className={styles.kind}>{KIND_TEXTS[record.kind].one}</span>
          </div>
        ))}
      </div>
      <p role="status" className={styles.status}>
        {status}
      </p>
    </Dialog>
  );
}
