/**
 * Which folder may know which. Dependencies point one way: functions → lifecycle → ports and providers → claims.
 * `npm run deps` checks it; scripts/dependency-rules.ts makes sure that there was something to check.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const test = String.raw`(\.test\.ts$|^test/|^bench/)`;
const io =
  '^(node:)?(fs|fs/promises|net|http|http2|https|tls|dgram|dns|child_process|worker_threads|cluster|sqlite|os|process|readline|timers|timers/promises)$';
/** One technology behind a port; everybody else knows only the port's contract. */
const drivers = String.raw`^shared/(workflow/[^/]+/|queue/(sqlite|http|service-bus|sqs)|state/(sqlite|tables|dynamodb)|cluster/http\.ts$)`;

/** A rule for the product; tests may look behind every door. */
const rule = (name, comment, from, to) => ({
  name,
  comment,
  severity: 'error',
  from: { ...from, pathNot: [test, ...(from.pathNot ?? [])] },
  to,
});

export default {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Modules in a cycle are loaded in an order that nobody sees. Types alone are not loaded.',
      severity: 'error',
      from: {},
      to: { circular: true, viaOnly: { dependencyTypesNot: ['type-only'] } },
    },
    {
      name: 'resolvable',
      comment: 'An import must lead somewhere.',
      severity: 'error',
      from: {},
      // Of the events of Lambda there are types alone.
      to: { couldNotResolve: true, pathNot: '^aws-lambda$' },
    },
    rule('no-test-in-the-product', 'Tests import the product, never the other way round.', {}, { path: test }),
    rule(
      'no-dev-dependency-in-the-product',
      'What the product needs at run time is a dependency. The stand-in for Service Bus serves tests alone.',
      { path: '^(cli|events|functions|shared|sim)/', pathNot: ['^sim/service-bus/'] },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),

    rule(
      'claims-are-pure',
      'The domain knows itself, JSON, the types of clock and ids, and a hash; nothing else, and nothing with I/O.',
      { path: '^shared/claims/' },
      {
        pathNot: ['^shared/claims/', String.raw`^shared/(json|runtime)\.ts$`, '^(node:)?crypto$', '^node_modules/zod/'],
      },
    ),
    rule(
      'claims-take-only-types-from-runtime',
      'A clock is handed in.',
      { path: '^shared/claims/' },
      { path: String.raw`^shared/runtime\.ts$`, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'shared-stands-alone',
      'shared/ is below all of these.',
      { path: '^shared/' },
      { path: '^(functions|events|sim|cli|scripts)/' },
    ),
    rule(
      'events-stand-alone',
      'What travels on queues knows nobody who sends or receives it.',
      { path: '^events/' },
      { path: '^(functions|sim|cli|scripts)/|^shared/(lifecycle|providers|workflow|queue|state|cluster)/' },
    ),
    rule(
      'no-simulator-in-functions',
      'sim/ never gets into a cloud bundle: only the command line starts it.',
      { path: '^functions/' },
      { path: '^(sim|cli|scripts)/' },
    ),
    rule(
      'sim-stands-alone',
      'The simulators know no function and no lifecycle.',
      { path: '^sim/' },
      {
        path: '^(functions|cli|scripts|events)/|^shared/(lifecycle|queue|state|workflow)/',
      },
    ),
    rule(
      'nobody-needs-the-command-line',
      'cli/ is the outermost layer. The page about its commands is made from them.',
      { pathNot: ['^cli/', String.raw`^scripts/generate-cli-docs\.ts$`] },
      { path: '^cli/.*[.]ts$' },
    ),

    rule(
      'ports-below-lifecycle',
      'A port or provider does not know who uses it.',
      { path: '^shared/(workflow|queue|state|cluster|providers)/' },
      { path: '^shared/lifecycle/' },
    ),
    rule(
      'no-port-knows-another',
      'Ports meet in the lifecycle only.',
      { path: '^shared/(workflow|queue|state|cluster)/' },
      { path: '^shared/(workflow|queue|state|cluster|providers)/', pathNot: '^shared/$1/' },
    ),
    rule(
      'lifecycle-knows-contracts-only',
      'The heart of the product runs on any host: no driver, no provider of one cloud, no I/O of its own.',
      { path: '^shared/lifecycle/' },
      { path: [drivers, '^shared/providers/[^/]+/', String.raw`^shared/(sqlite|config|http-client)\.ts$`, io] },
    ),
    rule(
      'functions-know-contracts-only',
      'A function is declared free of any platform; a host binds it to one.',
      { path: '^functions/', pathNot: ['^functions/hosts/'] },
      {
        path: [
          drivers,
          '^shared/providers/[^/]+/',
          String.raw`^shared/(sqlite|config|http-client)\.ts$`,
          '^functions/hosts/',
          io,
        ],
      },
    ),
    rule(
      'no-host-knows-another',
      'Each host stands alone; what several need is in common/.',
      { path: '^functions/hosts/([^/]+)/' },
      { path: '^functions/hosts/', pathNot: ['^functions/hosts/$1/', '^functions/hosts/common/'] },
    ),
    rule(
      'no-driver-knows-another',
      'Drivers of one technology share what stands above the ports, such as shared/platforms/sqlite/sqlite.ts.',
      { path: '^shared/workflow/([^/]+)/' },
      {
        path: '^shared/(workflow/[^/]+/|queue/(sqlite|service-bus)|state/(sqlite|tables))',
        pathNot: '^shared/workflow/$1/',
      },
    ),
    rule(
      'contracts-know-no-driver',
      'What every driver shares must not lean on one of them.',
      { path: String.raw`^shared/(workflow|queue|state)/[^/]+\.ts$`, pathNot: [drivers] },
      { path: drivers },
    ),
    rule(
      'no-provider-knows-another',
      'One cloud, one folder; what AKS and Arc have in common stands in azure/, which knows neither.',
      { path: '^shared/providers/([^/]+)/' },
      { path: '^shared/providers/[^/]+/', pathNot: ['^shared/providers/$1/', '^shared/providers/azure/'] },
    ),
    rule(
      'providers-behind-the-registry',
      'Only the registry opens a provider, and lazily.',
      { pathNot: [String.raw`^shared/providers/(registry\.ts|[^/]+/)`, '^sim/', '^cli/'] },
      { path: '^shared/providers/[^/]+/' },
    ),
    rule(
      'sqlite-behind-drivers',
      'Only drivers, the local host and the simulators know SQLite.',
      { pathNot: [drivers, String.raw`^shared/sqlite\.ts$`, '^functions/hosts/local/', '^sim/'] },
      { path: ['^(node:)?sqlite$'] },
    ),
    rule(
      'platforms-behind-drivers-and-hosts',
      'An SDK is imported by the one driver, provider or host that needs it.',
      {
        pathNot: [
          drivers,
          '^functions/hosts/(azure|aws)/',
          '^shared/providers/[^/]+/',
          '^shared/cluster/(azure-|eks)',
          '^shared/aws/',
          '^sim/(azure|functions-host|service-bus)/',
        ],
      },
      { path: '(^|node_modules/)(@azure|@aws|@aws-sdk|@microsoft|durable-functions)/' },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|coverage|[.]tmp|[.]vitest)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    moduleSystems: ['es6'],
    detectProcessBuiltinModuleCalls: true,
    enhancedResolveOptions: {
      extensions: ['.ts', '.js', '.json'],
      exportsFields: ['exports'],
      conditionNames: ['import', 'node', 'default', 'types'],
    },
  },
};
