import { createRootRoute, createRoute, createRouter } from '@tanstack/react-router';
import { comeBack } from './api/come-back.js';
import { MissingPage } from './shell/missing-page.js';
import { PageFault } from './shell/page-fault.js';
import { Shell } from './shell/shell.js';
import { lazily } from './ui/lazily.js';
import type { PageSearch } from './ui/page-search.js';

const root = createRootRoute({ notFoundComponent: MissingPage, errorComponent: PageFault });
const search = { validateSearch: (given: PageSearch): PageSearch => given };

const signIn = createRoute({
  ...search,
  getParentRoute: () => root,
  path: '/sign-in',
  component: lazily(async () => (await import('./pages/sign-in/sign-in-page.js')).SignInPage),
});

const shell = createRoute({ getParentRoute: () => root, id: 'shell', component: Shell });

const overview = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/',
  component: lazily(async () => (await import('./pages/overview/overview-page.js')).OverviewPage),
});
const expiring = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/expiring',
  component: lazily(async () => (await import('./pages/overview/expiring-page.js')).ExpiringPage),
});
const agents = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/agents',
  component: lazily(async () => (await import('./pages/agents/agents-page.js')).AgentsPage),
});
const agent = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/agent',
  component: lazily(async () => (await import('./pages/agents/agent-page.js')).AgentPage),
});
const records = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/records',
  component: lazily(async () => (await import('./pages/records/records-page.js')).RecordsPage),
});
const record = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/record',
  component: lazily(async () => (await import('./pages/records/record-page.js')).RecordPage),
});
const people = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/people',
  component: lazily(async () => (await import('./pages/people/people-page.js')).PeoplePage),
});
const person = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/person',
  component: lazily(async () => (await import('./pages/people/person-page.js')).PersonPage),
});
const ask = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/ask',
  component: lazily(async () => (await import('./pages/ask/ask-page.js')).AskPage),
});
const structure = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/structure',
  component: lazily(async () => (await import('./pages/structure/structure-page.js')).StructurePage),
});
const history = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/history',
  component: lazily(async () => (await import('./pages/history/history-page.js')).HistoryPage),
});
const revision = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/revision',
  component: lazily(async () => (await import('./pages/history/revision-page.js')).RevisionPage),
});
const compare = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/compare',
  component: lazily(async () => (await import('./pages/history/compare-page.js')).ComparePage),
});
const review = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/review',
  component: lazily(async () => (await import('./pages/review/review-page.js')).ReviewPage),
});
const settings = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/settings',
  component: lazily(async () => (await import('./pages/settings/settings-page.js')).SettingsPage),
});
const change = createRoute({
  ...search,
  getParentRoute: () => shell,
  path: '/change',
  component: lazily(async () => (await import('./pages/change/change-page.js')).ChangePage),
});

comeBack();

export const router = createRouter({
  routeTree: root.addChildren([
    signIn,
    shell.addChildren([
      overview,
      expiring,
      agents,
      agent,
      records,
      record,
      people,
      person,
      ask,
      structure,
      change,
      history,
      revision,
      compare,
      review,
      settings,
    ]),
  ]),
  basepath: '/console',
  defaultErrorComponent: PageFault,
  parseSearch: (query) => Object.fromEntries(new URLSearchParams(query)),
  stringifySearch,
  scrollRestoration: true,
});

/** Colons and slashes stay as they are, so that addresses in links can be read. */
function stringifySearch(given: Record<string, unknown>): string {
  const entries = Object.entries(given).filter(([, value]) => value !== undefined && value !== '');
  if (entries.length === 0) return '';
  const query = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString();
  return `?${query.replaceAll('%2F', '/').replaceAll('%3A', ':')}`;
}

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
