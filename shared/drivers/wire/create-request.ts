/** A machine as the messages of Create carry it. */
import { defined } from '../../base/defined.ts';
import { failedBy } from '../../base/problems.ts';
import { ok, type Problem, type Result } from '../../base/result.ts';
import type { MachineSpec } from '../machine-spec.ts';
import type { CreateRequest } from '../protocol/messages.ts';
import type { Codec } from './codec.ts';
import { classJson, disksJson, imageJson, networksJson, placementJson } from './machine-json.ts';
import { parseJson } from './parse-json.ts';

export const writeCreate = (name: string, machine: MachineSpec): CreateRequest => ({
  name,
  userData: Buffer.from(machine.userData ?? ''),
  metaData: Buffer.from(machine.metaData ?? ''),
  classJson: JSON.stringify(classJson.write(machine.class)),
  imageJson: JSON.stringify(imageJson.write(machine.image)),
  networksJson: JSON.stringify(networksJson.write(machine.networks)),
  disksJson: JSON.stringify(disksJson.write(machine.disks)),
  placementJson: machine.placement === undefined ? '' : JSON.stringify(placementJson.write(machine.placement)),
  tags: [...machine.tags],
});

export function readCreate(request: CreateRequest): Result<{ name: string; machine: MachineSpec }> {
  const problems: Problem[] = [];
  if (request.name === '') problems.push({ path: 'name', message: 'is missing' });
  const machineClass = readPart(classJson, request.classJson, 'class_json', problems);
  const machine = {
    class: machineClass,
    image: readPart(imageJson, request.imageJson, 'image_json', problems) ?? {},
    networks: readPart(networksJson, request.networksJson, 'networks_json', problems) ?? [],
    disks: readPart(disksJson, request.disksJson, 'disks_json', problems) ?? [],
    placement: readPart(placementJson, request.placementJson, 'placement_json', problems),
    userData: textOf(request.userData),
    metaData: textOf(request.metaData),
    tags: request.tags,
  };
  if (machineClass === undefined && problems.length === 0) problems.push({ path: 'class_json', message: 'is missing' });
  if (problems.length > 0 || machineClass === undefined) return failedBy(problems);
  return ok({ name: request.name, machine: defined(machine) as MachineSpec });
}

export function readPart<T>(codec: Codec<T>, json: string, path: string, problems: Problem[]): T | undefined {
  const value = parseJson(json, path, problems);
  return value === undefined || value === null ? undefined : codec.read(value, path, problems);
}

const textOf = (bytes: Uint8Array): string | undefined =>
  bytes.length === 0 ? undefined : Buffer.from(bytes).toString('utf8');
