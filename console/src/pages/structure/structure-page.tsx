import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { client } from '../../api/client.js';
import { KIND_TEXTS, text } from '../../text/english.js';
import { Empty } from '../../ui/empty.js';
import { TextField } from '../../ui/field.js';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import { ProblemNote } from '../../ui/problem-note.js';
import { pathOf } from '../../ui/record-link.js';
import { hasStructure } from './neighbours.js';
import { Neighbours } from './neighbours-view.js';
import styles from './structure-page.module.css';

/** The links of one record, as a picture and as a table. The record is in the address of the page. */
export function StructurePage() {
  const { focus = '' } = usePageSearch();
  return (
    <>
      <PageHeader title={text.structure.title} under={text.structure.under} />
      <div className={styles.page}>
        <Find key={focus} />
        {focus === '' ? <Empty title={text.structure.hint} /> : <Neighbours key={focus} focus={focus} />}
      </div>
    </>
  );
}

/** Finds the record to look at while its name is being typed. */
function Find() {
  const [words, setWords] = useState('');
  const sought = words.trim();
  const { data, error } = useQuery({
    queryKey: ['search', sought],
    queryFn: ({ signal }) => client.search({ q: sought, limit: 20 }, signal),
    enabled: sought !== '',
    placeholderData: keepPreviousData,
  });
  const found = sought === '' ? [] : (data?.items.filter(({ kind }) => hasStructure(kind)) ?? []);
  return (
    <search className={styles.find}>
      <TextField
        label={text.structure.find}
        hint={text.structure.findHint}
        type="search"
        value={words}
        onChange={setWords}
      />
      {error && <ProblemNote error={error} />}
      {sought !== '' && data !== undefined && (
        <p role="status">{found.length === 0 ? text.search.nothing(sought) : text.search.more(found.length)}</p>
      )}
      {found.length > 0 && (
        <ul className={styles.found} aria-label={text.structure.found}>
          {found.map(({ address, kind }) => (
            <li key={address}>
              <Link to="/structure" search={{ focus: address }}>
                {pathOf(address)}
              </Link>{' '}
              <span className={styles.kind}>{KIND_TEXTS[kind].one}</span>
            </li>
          ))}
        </ul>
      )}
    </search>
  );
}
