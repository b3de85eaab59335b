/** `desired_json` of Reconfigure: the whole machine in one text. */

import { defined } from '../../base/defined.ts';
import { isObject, type JsonObject } from '../../base/json.ts';
import { failedBy } from '../../base/problems.ts';
import type { Problem, Result } from '../../base/result.ts';
import { ok } from '../../base/result.ts';
import type { MachineSpec } from '../machine-spec.ts';
import { list, text } from './codec.ts';
import { classJson, disksJson, imageJson, networksJson, placementJson } from './machine-json.ts';
import { parseJson } from './parse-json.ts';

export interface Desired {
  name: string;
  machine: MachineSpec;
}

export function writeDesired(name: string, machine: MachineSpec): string {
  const { userData, userDataType, metaData, placement } = machine;
  const written: JsonObject = {
    Name: name,
    Class: classJson.write(machine.class),
    Image: imageJson.write(machine.image),
    Networks: networksJson.write(machine.networks),
    Disks: disksJson.write(machine.disks),
    Tags: [...machine.tags],
    ...(userData === undefined ? {} : { UserData: { CloudInitData: userData, Type: userDataType ?? 'cloud-init' } }),
    ...(metaData === undefined ? {} : { MetaData: { MetaDataYAML: metaData } }),
    ...(placement === undefined ? {} : { Placement: placementJson.write(placement) }),
  };
  return JSON.stringify(written);
}

export function readDesired(json: string): Result<Desired> {
  const problems: Problem[] = [];
  const given = parseJson(json, 'desired_json', problems);
  const fields = isObject(given) ? given : {};
  const read = <T>(codec: { read(value: unknown, path: string, problems: Problem[]): T | undefined }, name: string) =>
    fields[name] === undefined || fields[name] === null ? undefined : codec.read(fields[name], name, problems);
  const machine = {
    class: read(classJson, 'Class'),
    image: read(imageJson, 'Image') ?? {},
    networks: read(networksJson, 'Networks') ?? [],
    disks: read(disksJson, 'Disks') ?? [],
    placement: read(placementJson, 'Placement'),
    userData: textIn(fields.UserData, 'CloudInitData'),
    metaData: textIn(fields.MetaData, 'MetaDataYAML'),
    tags: read(list(text), 'Tags') ?? [],
  };
  if (machine.class === undefined && problems.length === 0) problems.push({ path: 'Class', message: 'is missing' });
  if (problems.length > 0 || machine.class === undefined) return failedBy(problems);
  return ok({ name: typeof fields.Name === 'string' ? fields.Name : '', machine: defined(machine) as MachineSpec });
}

function textIn(value: unknown, field: string): string | undefined {
  const found = isObject(value) ? value[field] : undefined;
  return typeof found === 'string' && found !== '' ? found : undefined;
}
