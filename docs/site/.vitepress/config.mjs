/** The site of the documentation: the pages of the repository as they are, with navigation and search. */
import { existsSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitepress';

const root = fileURLToPath(new URL('../../..', import.meta.url));

/** Where the files of the repository can be read: `https://github.com/OWNER/REPOSITORY/tree/main`. */
const files = process.env.DOCS_FILES_URL;

const pages = (entries) => entries.map(([text, path]) => ({ text, link: `/${path.replace(/(README)?\.md$/, '')}` }));

const sidebar = [
  {
    text: 'Start',
    items: pages([
      ['Overview', ''],
      ['Installing', 'docs/install.md'],
      ['Modeling access', 'docs/modeling.md'],
      ['Testing', 'docs/testing.md'],
    ]),
  },
  {
    text: 'How to',
    items: pages([
      ['Operate it', 'docs/operating.md'],
      ['Review what a change does', 'docs/impact.md'],
      ['Lint records', 'docs/lint.md'],
      ['Set access rules', 'docs/access-rules.md'],
      ['Follow Git', 'docs/sync.md'],
      ['Share a tenant among teams', 'docs/delegation.md'],
      ['Connect a directory', 'docs/directories.md'],
      ['People from Okta', 'docs/directory-okta.md'],
      ['People from Entra', 'docs/directory-entra.md'],
      ['People from Google', 'docs/directory-google.md'],
      ['People from LDAP', 'docs/directory-ldap.md'],
      ['People from GitHub teams', 'docs/directory-github.md'],
      ['People from personnel data', 'docs/directory-hr.md'],
      ['Keep decision logs', 'docs/decision-logs.md'],
      ['Trace requests', 'docs/observability.md'],
      ['Filter rows in a database', 'docs/filters.md'],
      ['Decide inside a process', 'docs/embedded.md'],
      ['Use Terraform', 'docs/terraform.md'],
      ['Use CDKTF', 'docs/cdktf.md'],
      ['Move in from OpenFGA', 'docs/openfga.md'],
      ['Look with a browser', 'docs/console.md'],
    ]),
  },
  {
    text: 'Reference',
    items: pages([
      ['Command line', 'docs/cli.md'],
      ['YAML', 'docs/yaml.md'],
      ['Environments', 'docs/environments.md'],
      ['Schemas', 'docs/schema.md'],
      ['Conditions', 'docs/conditions.md'],
      ['Cloud', 'cloud/README.md'],
      ['Agent', 'docs/agent.md'],
      ['AuthZEN', 'docs/authzen.md'],
      ['SDKs', 'docs/sdks.md'],
      ['Node', 'sdk/node/README.md'],
      ['Go', 'sdk/go/README.md'],
      ['Python', 'sdk/python/README.md'],
      ['Terraform resources', 'provider/docs/index.md'],
      ['Problem codes', 'docs/problems.md'],
      ['Benchmarks', 'docs/benchmarks.md'],
    ]),
  },
  {
    text: 'Concepts',
    items: pages([
      ['How decisions are made', 'docs/semantics.md'],
      ['Beside other products', 'docs/comparison.md'],
      ['Architecture', 'docs/architecture.md'],
      ['Security', 'SECURITY.md'],
      ['Contributing', 'CONTRIBUTING.md'],
    ]),
  },
];

/** Links to files that are no pages lead to the repository, where its address is known, and are plain text otherwise. */
function linkFiles(markdown) {
  const plain = markdown.renderer.rules.link_open;
  markdown.renderer.rules.link_open = (tokens, at, options, env, self) => {
    const href = tokens[at].attrGet('href') ?? '';
    const [path = ''] = href.split('#');
    const file = join(dirname(env.realPath ?? env.path), path);
    if (path === '' || /^[a-z]+:/.test(path) || path.endsWith('.md') || !existsSync(file)) {
      tokens[at].attrSet('href', href.replace(/(^|\/)README\.md/, '$1index.md'));
      return plain(tokens, at, options, env, self);
    }
    tokens[at].attrs = files === undefined ? [] : [['href', `${files}/${relative(root, file)}`]];
    return self.renderToken(tokens, at, options);
  };
}

/** Names headings as GitHub does, where the same pages are read. */
function slugify(heading) {
  const words = heading
    .trim()
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\s_-]/gu, '');
  return words.replace(/\s/g, '-');
}

/** Leaves to Node what pages import of Vue when they are rendered: Vite does not find it for pages outside of this folder. */
const vueOutside = {
  name: 'vue-outside',
  enforce: 'pre',
  resolveId: (id, _, { ssr }) => (ssr && /^vue(\/|$)/.test(id) ? { id, external: true } : undefined),
};

export default defineConfig({
  title: 'authz-service',
  description: 'Records in Git, decisions beside each application.',
  lang: 'en',
  base: process.env.DOCS_BASE ?? '/',
  srcDir: root,
  srcExclude: [
    ...['.changeset', 'bench', 'console', 'core', 'deploy', 'docs/site', 'pdp', 'test'].map((name) => `${name}/**`),
    ...['**/src/**', '**/CHANGELOG.md', '**/node_modules/**', '**/dist/**'],
  ],
  outDir: join(root, 'dist/site'),
  cacheDir: join(root, 'docs/site/node_modules/.vitepress'),
  rewrites: { 'README.md': 'index.md', ':folder(.*)/README.md': ':folder/index.md' },
  cleanUrls: true,
  metaChunk: true,
  markdown: { anchor: { slugify }, config: linkFiles },
  vite: { plugins: [vueOutside] },
  themeConfig: { search: { provider: 'local' }, outline: [2, 3], sidebar },
});
