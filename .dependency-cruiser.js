/**
 * Which room may know which. Dependencies point one way: cli → functions → products → ports and providers → base.
 * `npm run deps` checks it; scripts/dependency-rules.ts makes sure that there was something to check, and adds the rule that no
 * two sibling folders load each other.
 * docs/architecture.md tells the same story in words.
 *
 * @type {import('dependency-cruiser').IConfiguration}
 */
const test = String.raw`(\.test\.ts$|^test/|^bench/)`;
const io =
  '^(node:)?(fs|fs/promises|net|http|http2|https|tls|dgram|dns|child_process|worker_threads|cluster|sqlite|os|process|readline|timers|timers/promises)$';
/** One technology behind a port; everything else knows only the port's contract. */
const drivers = '^shared/((workflow|queue|state)/[^/]+/|kube/(client|access)/|clusters/drivers/arm/)';

/** Kubernetes' own client: types for all, streams (exec, attach, port-forward) for the one folder that may load it, lazily. */
const kubernetesClient = '(^|node_modules/)@kubernetes/client-node/';
const kubernetesStreams = '^shared/kube/streams/';

/**
 * The rooms of shared/, from the ground up. A room may import from the rooms before it, never from one after it: so no two
 * rooms can know each other. A new room gets a line here.
 */
export const rooms = [
  'base',
  'net',
  'platforms',
  'observe',
  'nodes/claims',
  'kube',
  'nodes/api',
  'clusters/request',
  'machines/api',
  'workflow',
  'queue',
  'state',
  'bootstrap',
  'drivers',
  'providers',
  'ownership',
  'identity',
  'config',
  'nodes/steps',
  'nodes/node-objects',
  'nodes/offerings',
  'nodes/upkeep',
  'nodes/pauses',
  'nodes/disruption',
  'nodes/pools',
  'nodes/discard',
  'nodes/launch',
  'nodes/terminate',
  'nodes/adopt',
  'nodes/plan',
  String.raw`nodes/[^/]+\.ts$`,
  'clusters/pool-types',
  'clusters/resolved',
  'clusters/rules',
  'clusters/manifests',
  'clusters/price',
  'clusters/plan',
  'clusters/convert',
  'clusters/argo',
  'clusters/explain',
  'clusters/policy',
  'clusters/preflight',
  'clusters/store',
  'clusters/registered',
  'clusters/drivers',
  String.raw`clusters/services\.ts$`,
  'clusters/notify',
  'clusters/steps',
  'clusters/migration',
  'clusters/workflow',
  'clusters/activities',
  String.raw`clusters/(ensure|bound-activities)\.ts$`,
  'clusters/move',
  'clusters/upkeep',
  'clusters/operations',
  'machines/core',
  String.raw`machines/services\.ts$`,
  'machines/steps',
  'machines/workflow',
  'machines/activities',
  String.raw`machines/(ensure|bound-activities)\.ts$`,
  'machines/upkeep',
  'machines/runtime',
  'explain',
];
const inRoom = (room) => (room.endsWith('$') ? `^shared/${room}` : `^shared/${room}/`);

/** Each turns objects into something; they meet in the cluster, not in imports. */
const products = '^shared/(nodes|clusters|reservations|machines)/';

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
    rule(
      'no-test-in-the-product',
      'Tests import the product, never the other way round. The check of a package runs it on a stand-in.',
      { pathNot: [String.raw`^scripts/package/check-azure\.ts$`] },
      { path: test },
    ),
    rule(
      'no-dev-dependency-in-the-product',
      'What the product needs at run time is a dependency.',
      { path: '^(cli|events|functions|shared|sim)/' },
      { dependencyTypes: ['npm-dev'], dependencyTypesNot: ['type-only'] },
    ),

    ...rooms
      .slice(0, -1)
      .map((room, at) =>
        rule(
          'rooms-point-down',
          'A room of shared/ knows only the rooms below it.',
          { path: inRoom(room) },
          { path: rooms.slice(at + 1).map(inRoom) },
        ),
      ),
    rule(
      'every-room-has-its-place',
      'A folder of shared/ that is not in the list of rooms has no place in the order.',
      { path: '^shared/', pathNot: rooms.map(inRoom) },
      {},
    ),
    rule(
      'base-knows-nothing',
      'What everything needs needs nothing of ours.',
      { path: '^shared/base/' },
      { path: '^(shared/(?!base/)|events|functions|sim|cli|scripts|infra)' },
    ),
    rule(
      'products-do-not-know-each-other',
      'They meet in the cluster, not in imports.',
      { path: products },
      { path: products, pathNot: '^shared/$1/' },
    ),
    rule(
      'platforms-know-no-provider',
      'What several drivers, providers and hosts need of one technology serves all of them.',
      { path: '^shared/platforms/' },
      { path: [products, '^shared/(?!base/|net/|platforms/)'] },
    ),
    rule(
      'no-platform-knows-another',
      'One technology, one folder.',
      { path: '^shared/platforms/([^/]+)/' },
      { path: '^shared/platforms/', pathNot: '^shared/platforms/$1/' },
    ),
    rule(
      'claims-are-pure',
      'The domain knows itself, the base, a hash and the types of Kubernetes; nothing else, and nothing with I/O.',
      { path: '^shared/nodes/claims/' },
      {
        pathNot: ['^shared/nodes/claims/', '^shared/base/', '^(node:)?crypto$', '^node_modules/zod/', kubernetesClient],
      },
    ),
    rule(
      'claims-take-only-types-from-runtime',
      'A clock is handed in.',
      { path: '^shared/nodes/claims/' },
      { path: String.raw`^shared/base/(runtime|timers)\.ts$`, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'the-core-of-clusters-is-pure',
      'A plan, an admission check and the workflow ask the same core; it asks nobody.',
      { path: '^shared/clusters/(request|pool-types|resolved|rules|manifests|price|plan|convert|explain|policy)/' },
      {
        pathNot: [
          '^shared/(clusters|base)/',
          String.raw`^shared/kube/crds/(definition|schema-parts)\.ts$`,
          '^shared/observe/errors/',
          String.raw`^shared/providers/node-class-spec\.ts$`,
          '^node_modules/zod/',
        ],
      },
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
      { path: '^(functions|sim|cli|scripts|infra)/|^shared/(?!base/|nodes/claims/)' },
    ),
    rule(
      'no-simulator-in-functions',
      'sim/ never gets into a cloud bundle: only the command line starts it.',
      { path: '^functions/' },
      { path: '^(sim|cli|scripts)/' },
    ),
    rule(
      'sim-stands-alone',
      'The simulators know no function and no step of a product.',
      { path: '^sim/' },
      {
        path: '^(functions|cli|scripts|events)/|^shared/(nodes/(?!claims/|api/)|queue|state|workflow|ownership|explain)/',
      },
    ),
    rule(
      'infra-is-never-imported',
      'infra/ renders what is deployed; nothing needs it at run time.',
      { pathNot: ['^(infra|scripts)/'] },
      { path: '^infra/' },
    ),
    rule(
      'nobody-needs-the-command-line',
      'cli/ is the outermost layer. The page about its commands is made from them.',
      { pathNot: ['^cli/', String.raw`^scripts/generate/cli-docs\.ts$`] },
      { path: '^cli/.*[.]ts$' },
    ),

    rule(
      'no-port-knows-another',
      'Ports meet in the products only.',
      { path: '^shared/(workflow|queue|state|kube)/' },
      { path: '^shared/(workflow|queue|state|kube|providers)/', pathNot: '^shared/$1/' },
    ),
    rule(
      'ports-know-no-product',
      'A port serves every product, so it knows none of them, not even their pure domain.',
      { path: '^shared/(workflow|queue|state|kube)/' },
      { path: products },
    ),
    rule(
      'products-know-contracts-only',
      'A product runs on any host: no driver, no provider of one cloud, no I/O of its own.',
      { path: [products, '^shared/explain/'], pathNot: ['^shared/clusters/drivers/arm/'] },
      { path: [drivers, '^shared/providers/[^/]+/', '^shared/(platforms|net|config)/', io] },
    ),
    rule(
      'functions-know-contracts-only',
      'A function is declared free of any platform; a host binds it to one.',
      { path: '^functions/', pathNot: ['^functions/hosts/'] },
      {
        path: [
          drivers,
          '^shared/providers/[^/]+/',
          String.raw`^shared/(platforms/|config/load\.ts|net/http-client\.ts)`,
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
      'Drivers of one technology share what is in shared/platforms/.',
      { path: '^shared/(workflow|queue|state)/([^/]+)/' },
      { path: '^shared/(workflow|queue|state)/[^/]+/', pathNot: '^shared/$1/$2/' },
    ),
    rule(
      'contracts-know-no-driver',
      'What every driver shares must not lean on one of them.',
      { path: String.raw`^shared/(workflow|queue|state)/[^/]+\.ts$` },
      { path: drivers },
    ),
    rule(
      'no-provider-knows-another',
      'One cloud, one folder; what AKS and Arc have in common is in agent-pools/, and how calls keep to limits in calls/. These know no cloud.',
      { path: '^shared/providers/([^/]+)/' },
      {
        path: '^shared/providers/[^/]+/',
        pathNot: ['^shared/providers/$1/', '^shared/providers/(agent-pools|calls)/'],
      },
    ),
    rule(
      'providers-behind-their-manifests',
      'Only the list of manifests knows the providers; a manifest loads the rest, lazily.',
      { pathNot: [String.raw`^shared/providers/(manifests\.ts|[^/]+/)`] },
      { path: '^shared/providers/[^/]+/' },
    ),
    rule(
      'manifests-are-light',
      'What is known before a provider is loaded must not load it, nor any library.',
      { path: String.raw`^shared/providers/[^/]+/(manifest|manifest-parts|kinds)\.ts$` },
      {
        pathNot: [
          '^shared/base/',
          String.raw`^shared/providers/[^/]+/(manifest|manifest-parts|kinds|kind|node-classes/kinds|node-class/kind)\.ts$`,
        ],
        dependencyTypesNot: ['type-only', 'dynamic-import'],
      },
    ),
    rule(
      'sqlite-behind-drivers',
      'Only drivers, the local host and the simulators know SQLite.',
      { pathNot: [drivers, '^shared/platforms/sqlite/', '^functions/hosts/local/', '^sim/'] },
      { path: ['^(node:)?sqlite$'] },
    ),
    rule(
      'kubernetes-client-for-types',
      'It is large, and slow to load: calls go through shared/kube/client/ (docs/decisions/0014).',
      { pathNot: [kubernetesStreams] },
      { path: kubernetesClient, dependencyTypesNot: ['type-only'] },
    ),
    rule(
      'kubernetes-streams-load-lazily',
      'A function that opens no stream must not pay for the client.',
      { path: kubernetesStreams },
      { path: kubernetesClient, dependencyTypesNot: ['type-only'], dynamic: false },
    ),
    rule(
      'platforms-behind-drivers-and-hosts',
      'An SDK is imported by the one driver, platform, provider or host that needs it.',
      {
        pathNot: [
          drivers,
          '^functions/hosts/(azure|aws)/',
          '^shared/providers/[^/]+/',
          '^shared/platforms/(azure|aws)/',
          '^sim/azure/',
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
