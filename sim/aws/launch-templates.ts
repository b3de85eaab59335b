/** Launch templates: made once, never changed here, found by name or id. */
import type { Ids } from '../../shared/base/runtime.ts';
import { type Outcome, type Problem, refuse } from './wire/answer.ts';
import { filtersOf, fits, table, withTags } from './wire/filters.ts';
import { type Form, formAt, formsAt, tagsAt, tagsFor, textAt, textsAt } from './wire/form.ts';
import { pageOf } from './wire/pages.ts';
import { tagSet, time, type Xml } from './wire/xml.ts';

export interface LaunchTemplate {
  id: string;
  name: string;
  createdAt: number;
  data: Form;
  tags: Record<string, string>;
}

export class LaunchTemplates {
  readonly #byName = new Map<string, LaunchTemplate>();
  readonly #byId = new Map<string, LaunchTemplate>();
  readonly #tokens = new Map<string, { fingerprint: string; template: LaunchTemplate }>();
  readonly #ids: Ids;
  readonly #now: () => number;
  readonly #creator: string;
  readonly #pageSize: number;
  #made = 0;

  constructor(parts: { ids: Ids; now: () => number; account: string; pageSize: number }) {
    this.#ids = parts.ids;
    this.#now = parts.now;
    this.#creator = `arn:aws:iam::${parts.account}:root`;
    this.#pageSize = parts.pageSize;
  }

  get all(): readonly LaunchTemplate[] {
    return [...this.#byId.values()];
  }

  /** Ever made. */
  get made(): number {
    return this.#made;
  }

  create(form: Form): Outcome {
    const name = textAt(form, 'LaunchTemplateName') ?? '';
    if (!/^[a-zA-Z0-9().\-/_]{3,128}$/.test(name)) {
      return refuse(
        'InvalidLaunchTemplateName.MalformedException',
        'Launch template names must be between 3 and 128 characters in length, and may contain letters, numbers, and the following characters: - ( ) . / _.',
      );
    }
    const data = formAt(form, 'LaunchTemplateData');
    if (data === undefined)
      return refuse('MissingParameter', 'The request must contain the parameter LaunchTemplateData');
    const wrong = wrongData(data);
    if (wrong !== undefined) return { problem: wrong };
    const token = textAt(form, 'ClientToken');
    const fingerprint = JSON.stringify([name, data]);
    const known = token === undefined ? undefined : this.#tokens.get(token);
    if (known !== undefined) {
      if (known.fingerprint === fingerprint) return { xml: { launchTemplate: this.#xml(known.template) } };
      return refuse('IdempotentParameterMismatch', 'The client token was used with other parameters.');
    }
    if (this.#byName.has(name)) {
      return refuse('InvalidLaunchTemplateName.AlreadyExistsException', 'Launch template name already in use.');
    }
    const id = `lt-0${Buffer.from(this.#ids.next()).toString('hex').slice(-16).padStart(16, '0')}`;
    const template = { id, name, createdAt: this.#now(), data, tags: tagsFor(form, 'launch-template') };
    this.#byName.set(name, template);
    this.#byId.set(id, template);
    this.#made++;
    if (token !== undefined) this.#tokens.set(token, { fingerprint, template });
    return { xml: { launchTemplate: this.#xml(template) } };
  }

  describe(form: Form): Outcome {
    const names = textsAt(form, 'LaunchTemplateName');
    const ids = textsAt(form, 'LaunchTemplateId');
    const found: LaunchTemplate[] = [];
    for (const name of names) {
      const template = this.#byName.get(name);
      if (template === undefined) return { problem: noSuchName };
      found.push(template);
    }
    for (const id of ids) {
      const template = this.#byId.get(id);
      if (template === undefined) return { problem: noSuchId(id) };
      found.push(template);
    }
    const filters = filtersOf(form);
    const all = (names.length + ids.length > 0 ? found : [...this.#byId.values()]).filter((one) =>
      fits(
        filters,
        withTags(one.tags, table({ 'launch-template-name': one.name, 'create-time': time(one.createdAt) })),
      ),
    );
    return pageOf(form, all, this.#pageSize, (page, nextToken) => ({
      launchTemplates: page.map((one) => this.#xml(one)),
      nextToken,
    }));
  }

  describeVersions(form: Form): Outcome {
    const found = this.find(form);
    if ('problem' in found) return found;
    const { template } = found;
    return {
      xml: {
        launchTemplateVersionSet: [
          {
            launchTemplateId: template.id,
            launchTemplateName: template.name,
            versionNumber: 1,
            createTime: time(template.createdAt),
            createdBy: this.#creator,
            defaultVersion: true,
            launchTemplateData: {
              imageId: textAt(template.data, 'ImageId'),
              userData: textAt(template.data, 'UserData'),
              securityGroupIdSet: securityGroupsOf(template.data),
              tagSpecificationSet: formsAt(template.data, 'TagSpecification').map((one) => ({
                resourceType: textAt(one, 'ResourceType'),
                tagSet: tagSet(tagsAt(one, 'Tag')),
              })),
            },
          },
        ],
      },
    };
  }

  delete(form: Form): Outcome {
    const found = this.find(form);
    if ('problem' in found) return found;
    const { template } = found;
    this.drop(template);
    return { xml: { launchTemplate: this.#xml(template) } };
  }

  drop(template: LaunchTemplate): void {
    this.#byName.delete(template.name);
    this.#byId.delete(template.id);
  }

  /** By the name or the id that the form has. */
  find(form: Form | undefined): { template: LaunchTemplate } | { problem: Problem } {
    const id = textAt(form, 'LaunchTemplateId');
    const name = textAt(form, 'LaunchTemplateName');
    if (id === undefined && name === undefined) {
      return refuse('MissingParameter', 'Either a launch template ID or a launch template name must be given.');
    }
    const template = id === undefined ? this.#byName.get(name ?? '') : this.#byId.get(id);
    if (template !== undefined) return { template };
    return { problem: id === undefined ? noSuchName : noSuchId(id) };
  }

  #xml(template: LaunchTemplate): Xml {
    return {
      launchTemplateId: template.id,
      launchTemplateName: template.name,
      createTime: time(template.createdAt),
      createdBy: this.#creator,
      defaultVersionNumber: 1,
      latestVersionNumber: 1,
      tagSet: tagSet(template.tags),
    };
  }
}

const noSuchName: Problem = {
  code: 'InvalidLaunchTemplateName.NotFoundException',
  message: 'At least one of the launch templates specified in the request does not exist.',
};

const noSuchId = (id: string): Problem => ({
  code: 'InvalidLaunchTemplateId.NotFound',
  message: `The specified launch template, with template ID ${id}, does not exist.`,
});

/** On the template itself or on its first network interface: never on both. */
export const securityGroupsOf = (data: Form): string[] => [
  ...textsAt(data, 'SecurityGroupId'),
  ...formsAt(data, 'NetworkInterface').flatMap((one) => textsAt(one, 'SecurityGroupId')),
];

function wrongData(data: Form): Problem | undefined {
  const userData = textAt(data, 'UserData');
  if (userData !== undefined && !/^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(userData)) {
    return { code: 'InvalidUserData.Malformed', message: 'Invalid BASE64 encoding of user data.' };
  }
  const interfaces = formsAt(data, 'NetworkInterface');
  if (interfaces.length > 0 && textsAt(data, 'SecurityGroupId').length > 0) {
    return {
      code: 'InvalidParameterCombination',
      message: 'Network interfaces and an instance-level security groups may not be specified on the same request',
    };
  }
  const reserved = formsAt(data, 'TagSpecification')
    .flatMap((one) => Object.keys(tagsAt(one, 'Tag')))
    .find((key) => key.startsWith('aws:'));
  if (reserved === undefined) return undefined;
  return {
    code: 'InvalidParameterValue',
    message: `Tag keys starting with 'aws:' are reserved for internal use: ${reserved}`,
  };
}
