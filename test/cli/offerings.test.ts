import { afterEach, describe, expect, test } from 'vitest';
import { listingOf, type OfferingRow } from '../../cli/commands/get/offerings.ts';
import { listingOf as unavailableListing } from '../../cli/commands/offerings/unavailable.ts';
import { type Format, formats, printListing } from '../../cli/terminal/output/formats.ts';
import { plainTerminal } from '../../cli/terminal/terminal.ts';
import { markUnavailable } from '../../shared/nodes/offerings/unavailable-offerings.ts';
import { type MarketWorld, marketWorld } from './market-world.ts';

let world: MarketWorld | undefined;
afterEach(async () => {
  await world?.close();
  world = undefined;
});

const anOffering = (more: Partial<OfferingRow> = {}): OfferingRow => ({
  provider: 'sim',
  instanceType: 'general-small',
  zone: 'zone-a',
  capacityType: 'on-demand',
  pricePerHour: 0.048,
  available: true,
  cpu: '2',
  memory: '8Gi',
  architecture: 'amd64',
  clusters: ['production'],
  ...more,
});

const { pricePerHour: _, ...unpriced } = anOffering({ instanceType: 'preview-large', zone: '' });
const rows: OfferingRow[] = [
  unpriced,
  anOffering({ instanceType: 'gpu-xlarge', pricePerHour: 32.77, gpus: 8, clusters: ['production', 'staging'] }),
  anOffering({
    capacityType: 'spot',
    pricePerHour: 0.0144,
    available: false,
    unavailable: { reason: 'sold \u001b[31mout', until: '2026-03-04T05:06:07.000Z' },
  }),
  anOffering(),
];

async function printed<Row>(listing: Parameters<typeof printListing<Row>>[0], format: Format): Promise<string> {
  let said = '';
  const out = (text: string): void => {
    said += text;
  };
  await printListing(listing, format, plainTerminal({ out, err: () => undefined }));
  return said;
}

describe('get offerings', () => {
  test.each(formats)('as %s', async (format) => {
    await expect(await printed(listingOf(rows), format)).toMatchFileSnapshot(
      `__snapshots__/offerings/offerings-${format}.txt`,
    );
  });

  test('has the cheapest first, and unknown prices last, as unknown', async () => {
    world = await marketWorld();
    const { code, out, err } = await world.run('get', 'offerings');
    const lines = out.trim().split('\n');
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(lines[1]).toMatch(/^sim +arm-small +zone-a +spot +\$0\.0116\/h +yes +- +2 +8Gi +-$/);
    expect(lines.at(-1)).toMatch(/^sim +preview-large +zone-c +on-demand +unknown +yes/);
  });

  test('takes a node class, and says what is wrong with it', async () => {
    world = await marketWorld();
    const named = await world.run('get', 'offerings', '--node-class', 'SimNodeClass/default', '-o', 'name');
    expect(named.out).toContain('offering/sim/general-small/zone-a/on-demand\n');
    const wrong = await world.run('get', 'offerings', '--node-class', 'SimNodeClas/default');
    expect(wrong).toMatchObject({ code: 1, out: '' });
    expect(wrong.err).toContain('did you mean "SimNodeClass"?');
  });

  test.each(['workers', 'SimNodeClass/', '/default', 'a/b/c'])('takes no node class like %s', async (nodeClass) => {
    world = await marketWorld();

    const { code, out, err } = await world.run('get', 'offerings', '--node-class', nodeClass);

    expect({ code, out }).toEqual({ code: 2, out: '' });
    const example = nodeClass === 'workers' ? 'workers' : 'default';
    expect(err).toContain(`Must be a kind and a name, such as MachineNodeClass/${example}.\n`);
    expect(err).toContain("option '--node-class <kind/name>'");
  });

  test('shows ten thousand', async () => {
    const many = Array.from({ length: 10_000 }, (_, index) =>
      anOffering({ instanceType: `type-${index}`, pricePerHour: (index * 7919) % 10_000 }),
    );
    const lines = (await printed(listingOf(many), 'table')).trim().split('\n');
    expect(lines).toHaveLength(10_001);
    expect(lines[1]).toContain('$0.000/h');
  });
});

describe('offerings unavailable', () => {
  const mark = (instanceType: string, kind: 'insufficient-capacity' | 'quota-exceeded' = 'insufficient-capacity') =>
    markUnavailable(
      world!.services,
      'sim',
      { instanceType, zone: 'zone-a', capacityType: 'on-demand' },
      { kind, message: `no ${instanceType} is left` },
      300,
    );

  test.each(formats)('as %s', async (format) => {
    const common = { provider: 'sim', zone: 'zone-a', capacityType: 'spot', until: '2026-03-04T05:06:07.000Z' };
    const listing = unavailableListing([
      { ...common, instanceType: 'general-small', reason: 'none left', quota: false, many: false },
      { ...common, instanceType: 'gpu-large', reason: 'limit of 8\u0007 reached', quota: true, many: true },
    ]);
    await expect(await printed(listing, format)).toMatchFileSnapshot(
      `__snapshots__/offerings/unavailable-${format}.txt`,
    );
  });

  test('are listed by the bare command', async () => {
    world = await marketWorld();
    expect(await world.run('offerings', 'unavailable')).toEqual({
      code: 0,
      out: '',
      err: 'No offerings are skipped.\n',
    });
    await mark('gpu-large', 'quota-exceeded');
    expect((await world.run('offerings', 'unavailable')).out).toMatch(
      /^sim +gpu-large +zone-a +on-demand +quota +20\S+ +no gpu-large is left$/m,
    );
  });

  test('are cleared after a question that says how many, and of what', async () => {
    world = await marketWorld();
    for (const type of ['general-small', 'general-medium', 'gpu-large']) await mark(type);
    const { run, runAnswering } = world;
    const clear = ['offerings', 'unavailable', 'clear'];

    expect(await run(...clear, '--type', 'gpu-large', '--dry-run')).toEqual({
      code: 0,
      out: '',
      err: 'Clear 1 refusal of gpu-large, so that claims may use them again: not done, because of --dry-run.\n',
    });
    expect(await run(...clear)).toMatchObject({ code: 3, out: '' });
    expect(await runAnswering('no', ...clear, '--provider', 'sim')).toMatchObject({
      code: 3,
      questions: ['Clear 3 refusals by provider sim, so that claims may use them again? [y/N] '],
    });
    expect(await run(...clear, '--type', 'gpu-large', '--zone', 'zone-a', '--yes')).toMatchObject({
      code: 0,
      out: '1 refusal of gpu-large in zone-a is forgotten.\n',
    });
    expect(await run(...clear, '--type', 'gpu-large', '--yes')).toEqual({
      code: 1,
      out: '',
      err: "No offerings of gpu-large are skipped.\nList the unavailable offerings with 'poolwright offerings unavailable'; the host already uses all others.\nMore: poolwright errors NotPassedOver\n",
    });
    expect(await run(...clear, '--type', 'genral-small', '--yes')).toEqual({
      code: 1,
      out: '',
      err: 'No offerings of genral-small are skipped; did you mean "general-small"?\nMore: poolwright errors NotPassedOver\n',
    });
    expect((await run(...clear, '--zone', 'zome-a', '--yes')).err).toContain('did you mean "zone-a"?');
    expect(await run(...clear, '--yes')).toMatchObject({ code: 0, out: '2 refusals are forgotten.\n' });
    expect(await run(...clear, '--yes')).toEqual({ code: 0, out: 'No offerings are skipped.\n', err: '' });
  });

  test.each([
    ['a misspelled provider', ['--provider', 'sam'], 1, 'did you mean "sim"?'],
    ['a misspelled capacity type', ['--capacity-type', 'on_demand'], 2, 'reserved, spot, on-demand'],
  ])('are not cleared with %s', async (_name, args, code, message) => {
    world = await marketWorld();
    await mark('gpu-large');
    const said = await world.run('offerings', 'unavailable', 'clear', ...args, '--yes');
    expect(said).toMatchObject({ code, out: '' });
    expect(said.err).toContain(message);
    expect((await world.run('offerings', 'unavailable', '-o', 'name')).out).not.toBe('');
  });
});
