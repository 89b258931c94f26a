import { parseArgs } from 'node:util';
import { runAgent } from './run.js';
import { FULL_VERSION } from './version.js';

const HELP = `Answers authorization questions beside an application, from the policy bundle of a cloud.

Usage: service-agent [--config PATH]

  --config PATH  read the configuration from this YAML file; without it from ./service-agent.yaml,
                 or else $HOME/.service/agent.yaml, where there is one
  --help         show this help
  --version      show version and commit

Environment variables override the file:
  SERVICE_API_KEY        api_key        required: an API key with the scope "bundle"
  SERVICE_CLOUD_URL      cloud_url      default http://127.0.0.1:8080
  SERVICE_BUNDLE_URL     bundle_url     files of "servicectl bundle publish" at a web server, instead of key
                                        and cloud; needs SERVICE_TENANT_ID and SERVICE_BUNDLE_JWKS
  SERVICE_BUNDLE_HEADER  bundle_header  a header for that web server, "Authorization: Bearer TOKEN"
  SERVICE_TENANT_ID      tenant_id      default: the only tenant in the bundle
  SERVICE_LISTEN_ADDR    listen_addr    default 0.0.0.0:8181; or unix:///run/service/agent.sock
  SERVICE_PUBLIC_URL     public_url     default: the listen address, for the metadata of AuthZEN
  SERVICE_POLL_INTERVAL  poll_interval  default 30s
  SERVICE_MAX_AGE        max_age        default: none; past it, what is known is too old to decide by (503)
  SERVICE_CACHE_DIR      cache_dir      default ~/.service/bundles
  SERVICE_LOG_LEVEL      log_level      default info
  SERVICE_DECISION_LOG   decision_log   default false
  SERVICE_DECISION_LOG_SINKS
                 decision_log_sinks     default stdout; or file:///PATH, https://…, otlp+https://…,
                                        syslog+tls://…, separated by white space
  SERVICE_BUNDLE_JWKS    bundle_jwks    the keys that sign bundles, a JWKS or the path of one;
                                        default: those of the first contact, kept in the cache
  SERVICE_ALLOW_ROLLBACK allow_rollback default false: refuse a revision older than the one served last
  SERVICE_DRAIN_TIME     drain_time     default 5s: how long after SIGTERM requests are still answered while
                                        /readyz says 503

Logs go to standard error, decision lines to standard output unless sinks are named.
`;

async function main(): Promise<number> {
  let options: { config?: string; help?: boolean; version?: boolean };
  try {
    options = parseArgs({
      options: {
        config: { type: 'string' },
        help: { type: 'boolean', short: 'h' },
        version: { type: 'boolean', short: 'v' },
      },
    }).values;
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\nRun service-agent --help for the options.\n`);
    return 1;
  }
  if (options.help) {
    process.stdout.write(HELP);
    return 0;
  }
  if (options.version) {
    process.stdout.write(`${FULL_VERSION}\n`);
    return 0;
  }
  return runAgent({ configPath: options.config, env: process.env });
}

// A CommonJS script, as in a single executable, has no `await` of its own.
main().then((code) => process.exit(code));
