// The example for Kubernetes against the published schemas, and against the programs that it runs.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Deployment, type IDeployment } from 'kubernetes-models/apps/v1';
import { type IJob, Job } from 'kubernetes-models/batch/v1';
import { PodDisruptionBudget } from 'kubernetes-models/policy/v1';
import { PersistentVolumeClaim, Service } from 'kubernetes-models/v1';
import { parseAllDocuments } from 'yaml';
import yargs from 'yargs';
import { elementAt } from '../../../format/element-at.ts';
import { shareFrom } from '../../../generator/cli/parse-options.ts';
import { buildCommand, sealCommand } from '../../../generator/commands/build.ts';
import { durationToSeconds } from '../../../proxy/config/option-values.ts';
import { optionsFromEnvironment, SERVE_OPTIONS } from '../../../proxy/config/options.ts';

const EXAMPLE = 'generator/examples/kubernetes';
const MODELS = new Map(Object.entries({ Deployment, Job, PersistentVolumeClaim, PodDisruptionBudget, Service }));

function resourcesIn(file: string): object[] {
  return parseAllDocuments(readFileSync(join(EXAMPLE, file), 'utf8')).map((document) => document.toJS());
}

/**
 * Validates a resource.
 * @returns the paths of fields that its schema does not have: a schema allows them, and a cluster ignores or refuses
 * them
 * @throws Error if it violates the schema
 */
function unknownFields(resource: object): string[] {
  const read = new Set<string>();
  const watch = (value: unknown, path: string): unknown => {
    if (typeof value !== 'object' || value === null) return value;
    return new Proxy(value, {
      get(target, key) {
        const at = `${path}/${String(key)}`;
        read.add(at);
        return watch(Reflect.get(target, key), at);
      },
    });
  };
  const model = MODELS.get(String(Reflect.get(resource, 'kind')));
  assert.ok(model, `no schema for ${JSON.stringify(resource)}`);
  // The validator looks up every field that it knows.
  Reflect.apply(model.prototype.validate, watch(Reflect.construct(model, [resource]), ''), []);
  return fieldsIn(resource, '').filter((path) => !read.has(path));
}

function fieldsIn(value: unknown, path: string): string[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([key, field]) => [`${path}/${key}`, ...fieldsIn(field, `${path}/${key}`)]);
}

const FILES = readdirSync(EXAMPLE).filter((file) => file.endsWith('.yaml'));

for (const file of FILES)
  test(`${file} follows the schemas of Kubernetes and has no field that they lack`, () => {
    for (const resource of resourcesIn(file)) assert.deepEqual(unknownFields(resource), []);
  });

function containerOf({ spec }: IJob | IDeployment) {
  return elementAt(spec?.template.spec?.containers ?? [], 0);
}

test('the pods of the Job build all shards of one release, and the seal Job publishes that release in the same folder', async () => {
  const [shards, sealing] = ['shards.yaml', 'seal.yaml'].map((file) => resourcesIn(file).find(Job.is));
  assert.ok(shards && sealing);
  const builds: { share: unknown; release: unknown; out: unknown }[] = [];
  const seals: { release: unknown; out: unknown }[] = [];
  const program = () =>
    yargs()
      .option('quiet', { type: 'boolean' })
      .option('json', { type: 'boolean' })
      .strict()
      .exitProcess(false)
      .fail((message) => assert.fail(message))
      .command({
        ...buildCommand,
        handler: async ({ shard, release, out }) => void builds.push({ share: shareFrom(String(shard)), release, out }),
      })
      .command({ ...sealCommand, handler: async ({ release, out }) => void seals.push({ release, out }) });
  const count = shards.spec?.completions ?? 0;
  for (let index = 0; index < count; index++) {
    const args = containerOf(shards).args ?? [];
    await program().parseAsync(args.map((arg) => arg.replace('$(JOB_COMPLETION_INDEX)', String(index))));
  }
  await program().parseAsync(containerOf(sealing).args ?? []);
  const [{ release, out } = assert.fail('nothing is sealed')] = seals;
  const expected = Array.from({ length: 4 }, (_, shard) => ({ share: { shard, shards: 4 }, release, out }));
  assert.deepEqual(builds, expected);
});

test('the proxy serves the output folder, its variables are options, and its pods end after the time for responses', () => {
  const deployment = resourcesIn('proxy.yaml').find(Deployment.is);
  assert.ok(deployment);
  const variables = (containerOf(deployment).env ?? []).map(({ name, value }) => [name, value]);
  const options = optionsFromEnvironment(Object.fromEntries(variables));
  assert.equal(Object.keys(options).length, variables.length, Object.keys(options).join());
  assert.equal(options['origin'], '/boundaries/output');
  const seconds = [options['drain'], SERVE_OPTIONS['stop-timeout'].default].map((text) =>
    durationToSeconds(String(text), 'time'),
  );
  const grace = deployment.spec?.template.spec?.terminationGracePeriodSeconds ?? 0;
  assert.ok(grace > elementAt(seconds, 0) + elementAt(seconds, 1), `${grace} s`);
});
