/** A CloudStackNodeClass on the stand-in: what it resolves to, and what its conditions say. */
import { describe, expect, it } from 'vitest';
import type { ResolvedNodeClass } from '../../shared/providers/contract.ts';
import { classOf, cloudStackWorld, signal } from './world.ts';

const uuid = expect.stringMatching(/^[0-9a-f-]{36}$/);

const conditionsOf = ({ conditions = [] }: ResolvedNodeClass): Record<string, string> =>
  Object.fromEntries(
    conditions.map(({ type, status, reason }) => [type, reason === undefined ? status : `${status} ${reason}`]),
  );
const messageOf = ({ conditions = [] }: ResolvedNodeClass, type: string): string =>
  conditions.find((one) => one.type === type)?.message ?? '';

async function described(spec: Parameters<typeof classOf>[0], more: Parameters<typeof cloudStackWorld>[0] = {}) {
  const { provider } = await cloudStackWorld(more);
  const answer = await provider.resolveNodeClass(classOf(spec), signal);
  if (!answer.ok) throw new Error(answer.error.message);
  return answer.value;
}

describe('a class that can be used', () => {
  it('has what its terms select in its status, under the names of upstream', async () => {
    const answer = await described({ serviceOfferingSelectorTerms: [{ tags: { 'compute-type': 'general-purpose' } }] });
    expect(answer).toMatchObject({
      ready: true,
      resolved: {
        zones: [{ id: uuid, name: 'zone-01', networkType: 'Advanced' }],
        networks: [{ id: uuid, name: 'default-network', zone: 'zone-01', type: 'Isolated' }],
        templates: [
          {
            id: uuid,
            name: 'ubuntu-22.04-kubernetes',
            zone: 'zone-01',
            osType: 'Ubuntu 22.04 LTS',
            arch: 'amd64',
            hypervisor: 'KVM',
          },
        ],
      },
    });
    expect(answer.resolved.serviceOfferings).toEqual(
      ['Extra Large', 'Large', 'Medium', 'Small'].map((size) =>
        expect.objectContaining({
          name: `${size} Instance`,
          cpuNumber: expect.any(Number),
          memory: expect.any(Number),
          instanceTypes: [`${size.replace(' ', '-')}-Instance`],
          capacityType: 'on-demand',
          matchedBy: 'detail compute-type=general-purpose',
        }),
      ),
    );
    expect(answer.images).toHaveLength(1);
    expect(conditionsOf(answer)).toEqual({
      ZoneReady: 'True',
      NetworkReady: 'True',
      ServiceOfferingReady: 'True',
      TemplateReady: 'True',
    });
    expect(messageOf(answer, 'ServiceOfferingReady')).toContain(
      'Medium Instance (detail compute-type=general-purpose)',
    );
  });

  it('finds offerings by details, host tags and storage tags, and says by which', async () => {
    const by = async (tags: Record<string, string>): Promise<string> =>
      messageOf(
        await described({ serviceOfferingSelectorTerms: [{ tags }], rootDiskSize: 20 }),
        'ServiceOfferingReady',
      );
    expect(await by({ spot: '*' })).toContain('Medium Spot Instance (host tag spot)');
    expect(await by({ ssd: '*' })).toContain('Tiny Root Instance (storage tag ssd)');
    expect(await by({ 'compute-type': '*' })).toContain(
      'Medium Memory Instance (detail compute-type=memory-optimized)',
    );
  });

  it('takes terms as alternatives, and the networks in their order', async () => {
    const answer = await described({
      networkSelectorTerms: [{ name: 'storage-zone-01' }, { tags: { environment: '*' } }],
    });
    expect(answer.resolved.networks).toMatchObject([{ name: 'storage-zone-01' }, { name: 'default-network' }]);
  });

  it('may have several zones, by name or id, and says which of them lack something', async () => {
    const { provider, cloudstack } = await cloudStackWorld();
    const second = [...cloudstack.site.zones.values()][1];
    const answer = await provider.resolveNodeClass(
      classOf({
        zone: undefined,
        zones: ['zone-01', second?.id ?? '', 'zone-03'],
        templateSelectorTerms: [{ name: 'rocky-9' }],
      }),
      signal,
    );
    expect(answer).toMatchObject({ ok: true, value: { ready: true, resolved: { zones: [{ name: 'zone-01' }] } } });
    if (!answer.ok) return;
    expect(messageOf(answer.value, 'ZoneReady')).toBe('zone-01, zone-02, zone-03');
    expect(messageOf(answer.value, 'TemplateReady')).toContain('no template of zone zone-02 matches');
  });

  it('selects templates by operating system, as people write it', async () => {
    const answer = await described({ templateSelectorTerms: [{ osType: 'Ubuntu 24.04' }] });
    expect(answer.resolved.templates).toMatchObject([{ name: 'ubuntu-24.04-kubernetes' }]);
  });

  it('has another hash when what a machine is made of changes, and the same when only the choice does', async () => {
    const hash = async (spec: Parameters<typeof classOf>[0]) => (await described(spec)).hash;
    const usual = await hash({});
    expect(await hash({ serviceOfferingSelectorTerms: [{ name: 'Small Instance' }] })).toBe(usual);
    expect(await hash({ userData: '#!/bin/sh\n' })).not.toBe(usual);
    expect(await hash({ rootDiskSize: 40 })).not.toBe(usual);
    expect(await hash({ tags: { a: 'b' } })).not.toBe(usual);
    expect(await hash({ networkSelectorTerms: [{ name: 'storage-zone-01' }] })).not.toBe(usual);
    expect(await hash({ diskOffering: 'Small' })).not.toBe(usual);
  });

  it('costs four questions, for a hundred claims and all classes together', async () => {
    const { provider, cloudstack } = await cloudStackWorld();
    await Promise.all(Array.from({ length: 100 }, () => provider.instanceTypes(classOf(), signal)));
    await provider.instanceTypes(classOf({ zone: 'zone-02' }), signal);
    expect(cloudstack.calls()).toEqual({
      listZones: 1,
      listNetworks: 1,
      listTemplates: 1,
      listServiceOfferings: 1,
    });
  });

  it('is read again when its time is up', async () => {
    const { provider, cloudstack, clock } = await cloudStackWorld({ options: { cacheSeconds: 60 } });
    await provider.instanceTypes(classOf(), signal);
    clock.advance(59_000);
    await provider.instanceTypes(classOf(), signal);
    expect(cloudstack.calls().listZones).toBe(1);
    clock.advance(2_000);
    await provider.instanceTypes(classOf(), signal);
    expect(cloudstack.calls().listZones).toBe(2);
  });

  it('in a project sees what the project has', async () => {
    const { provider, cloudstack } = await cloudStackWorld({ options: { project: 'nodes' } });
    const project = [...cloudstack.site.projects.values()][0];
    const zone = [...cloudstack.site.zones.values()][0];
    const own = { account: 'kubernetes', domainId: project?.domainId ?? '', projectId: project?.id ?? '' };
    const [like] = cloudstack.site.networks.values();
    if (like === undefined || zone === undefined) throw new Error('the site has no networks');
    const made = { ...like, id: '11111111-1111-4111-8111-111111111111', name: 'of-the-project', owner: own, tags: {} };
    cloudstack.site.networks.set(made.id, made);
    const answer = await provider.resolveNodeClass(classOf({ networkSelectorTerms: [{ name: made.name }] }), signal);
    expect(answer).toMatchObject({ ok: true, value: { ready: true, resolved: { networks: [{ name: made.name }] } } });
  });
});

describe('a class that names what is not there', () => {
  it.each([
    ['zone', { zone: 'zone-1' }, 'ZonesNotFound', 'ZoneReady', /"zone-1"; did you mean "zone-01"\?/],
    [
      'network by name',
      { networkSelectorTerms: [{ name: 'default-netwrok' }] },
      'NetworksNotFound',
      'NetworkReady',
      /spec\.networkSelectorTerms\[0\] \(name "default-netwrok"\); did you mean "default-network"\?/,
    ],
    [
      'network by tags',
      { networkSelectorTerms: [{ tags: { environment: 'production', tier: 'web' } }] },
      'NetworksNotFound',
      'NetworkReady',
      /the nearest is default-network, which lacks tier=web/,
    ],
    [
      'offering by name',
      { serviceOfferingSelectorTerms: [{ name: 'Medum Instance' }, { id: 'x' }] },
      'ServiceOfferingsNotFound',
      'ServiceOfferingReady',
      /\[0\] \(name "Medum Instance"\); did you mean "Medium Instance"\?, or .*\[1\] \(id "x"\); no such id/,
    ],
    [
      'offering by tags',
      { serviceOfferingSelectorTerms: [{ tags: { 'compute-type': 'general-purpose', size: 'huge' } }] },
      'ServiceOfferingsNotFound',
      'ServiceOfferingReady',
      /which lacks size=huge/,
    ],
    [
      'offering that is retired',
      { serviceOfferingSelectorTerms: [{ name: 'Retired Instance' }] },
      'ServiceOfferingsNotFound',
      'ServiceOfferingReady',
      /Retired Instance/,
    ],
    [
      'template by name',
      { templateSelectorTerms: [{ name: 'ubuntu-22.04-kubernetis' }] },
      'TemplatesNotFound',
      'TemplateReady',
      /no template of zone zone-01 matches .*did you mean "ubuntu-22.04-kubernetes"/,
    ],
    [
      'template by operating system',
      { templateSelectorTerms: [{ osType: 'Solaris' }] },
      'TemplatesNotFound',
      'TemplateReady',
      /osType "Solaris".*there are/,
    ],
  ])('says which term found nothing, and what was nearest: %s', async (_name, spec, reason, type, text) => {
    const answer = await described(spec);
    expect(answer).toMatchObject({ ready: false, reason, message: expect.stringMatching(text) });
    expect(conditionsOf(answer)[type]).toBe(`False ${reason}`);
    expect(messageOf(answer, type)).toMatch(text);
  });

  it('tells each part by itself', async () => {
    const answer = await described({
      networkSelectorTerms: [{ name: 'none' }],
      templateSelectorTerms: [{ name: 'none' }],
    });
    expect(conditionsOf(answer)).toEqual({
      ZoneReady: 'True',
      NetworkReady: 'False NetworksNotFound',
      ServiceOfferingReady: 'Unknown NotChecked',
      TemplateReady: 'False TemplatesNotFound',
    });
    expect(answer.message).toMatch(/network.*; .*template/);
  });

  it('is ready soon after somebody has mended it', async () => {
    const { provider, cloudstack, clock } = await cloudStackWorld();
    const wanted = classOf({ networkSelectorTerms: [{ tags: { new: 'yes' } }] });
    expect(await provider.resolveNodeClass(wanted, signal)).toMatchObject({ value: { ready: false } });
    const [network] = cloudstack.site.networks.values();
    if (network !== undefined) network.tags = { ...network.tags, new: 'yes' };
    clock.advance(11_000);
    await provider.resolveNodeClass(wanted, signal);
    expect(await provider.resolveNodeClass(wanted, signal)).toMatchObject({ value: { ready: true } });
  });
});
