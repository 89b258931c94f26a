import { Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { text } from '../../text/english.js';
import { CopyButton } from '../../ui/copy-button.js';
import { intoView } from '../../ui/into-view.js';
import layout from '../../ui/layout.module.css';
import { PageHeader } from '../../ui/page-header.js';
import { usePageSearch } from '../../ui/page-search.js';
import styles from './ask-page.module.css';
import { DecisionAnswer } from './decision-answer.js';
import { askedOf, faultsOf, inMode, MODES } from './question.js';
import { QuestionForm } from './question-form.js';
import { RowsAnswer } from './rows-answer.js';
import { SearchAnswer } from './search-answer.js';

/** Asks a question and explains its answer. The question is in the address of the page, so that a link asks it again. */
export function AskPage() {
  const search = usePageSearch();
  const navigate = useNavigate();
  const asked = askedOf(search);
  const complete = Object.keys(faultsOf(asked)).length === 0;
  const [times, setTimes] = useState(0);
  return (
    <>
      <PageHeader
        title={text.ask.title}
        under={text.ask.under}
        actions={
          complete && <CopyButton label={text.ask.copyLink} copied={text.ask.linkCopied} value={() => location.href} />
        }
      />
      <nav aria-label={text.ask.modes} className={layout.tabs}>
        {MODES.map((mode) => (
          <Link
            key={mode}
            to="/ask"
            search={{ ...inMode(asked, mode) }}
            aria-current={mode === asked.mode ? 'page' : undefined}
            ref={mode === asked.mode ? intoView : null}
          >
            {text.ask.mode[mode]}
          </Link>
        ))}
      </nav>
      <div className={`${layout.columns} ${styles.columns}`}>
        <QuestionForm
          key={JSON.stringify(asked)}
          asked={asked}
          onAsk={(next) => {
            setTimes(times + 1);
            void navigate({ to: '/ask', search: { ...next } });
          }}
        />
        <div className={styles.answer} aria-live="polite">
          {!complete && <p className={layout.hint}>{text.ask.hint}</p>}
          {complete && asked.mode === 'decide' && <DecisionAnswer asked={asked} times={times} />}
          {complete && asked.mode !== 'decide' && <SearchAnswer asked={asked} times={times} />}
          {complete && asked.mode === 'what' && <RowsAnswer asked={asked} times={times} />}
        </div>
      </div>
    </>
  );
}
