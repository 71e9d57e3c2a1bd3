import { describe, expect, it } from 'vitest';
import type { S3Options } from '../../../src/s3/address.js';
import { accessOf } from '../../../src/s3/credentials.js';
import { failure } from '../../support/failure.js';
import { memoryWorld } from '../../support/world.js';

const CREDENTIALS = `
# of two people
[default]
aws_access_key_id = AKDEFAULT
aws_secret_access_key=SKDEFAULT/+=

[work]
aws_access_key_id=AKWORK
aws_secret_access_key=SKWORK
aws_session_token = TOKEN==
`;

const CONFIG = `
[default]
region = eu-central-1
[profile work]
region=ap-south-1
endpoint_url = https://minio.work:9000
s3 =
  endpoint_url = http://nested.example
[profile role]
role_arn = arn:aws:iam::1:role/x
source_profile = work
[profile process]
credential_process = /bin/keys
[profile "with space"]
sso_session = s
[sso-session s]
region = us-west-1
`;

interface Given {
  readonly env?: Readonly<Record<string, string>>;
  readonly files?: Readonly<Record<string, string>>;
  readonly options?: Partial<S3Options>;
}

const usual = { 'aws/credentials': CREDENTIALS, 'aws/config': CONFIG };

function access({ env = {}, files = usual, options = {} }: Given = {}) {
  const paths = { AWS_SHARED_CREDENTIALS_FILE: 'aws/credentials', AWS_CONFIG_FILE: 'aws/config' };
  const world = memoryWorld({ files, env: { ...paths, ...env } });
  return accessOf({ pathStyle: false, anonymous: false, ...options }, world);
}

const ENV = { AWS_ACCESS_KEY_ID: 'AKENV', AWS_SECRET_ACCESS_KEY: 'SKENV' };

describe('keys', () => {
  it.each<[string, Given, object]>([
    ['of the default profile', {}, { accessKeyId: 'AKDEFAULT', secretAccessKey: 'SKDEFAULT/+=' }],
    ['of the environment', { env: ENV }, { accessKeyId: 'AKENV', secretAccessKey: 'SKENV' }],
    [
      'with a session',
      { env: { ...ENV, AWS_SESSION_TOKEN: 'T' } },
      { accessKeyId: 'AKENV', secretAccessKey: 'SKENV', sessionToken: 'T' },
    ],
    [
      'of a profile by the environment',
      { env: { AWS_PROFILE: 'work' } },
      { accessKeyId: 'AKWORK', secretAccessKey: 'SKWORK', sessionToken: 'TOKEN==' },
    ],
    [
      'of the environment before its profile',
      { env: { ...ENV, AWS_PROFILE: 'work' } },
      { accessKeyId: 'AKENV', secretAccessKey: 'SKENV' },
    ],
    [
      'of a profile by an option',
      { env: ENV, options: { profile: 'work' } },
      { accessKeyId: 'AKWORK', secretAccessKey: 'SKWORK', sessionToken: 'TOKEN==' },
    ],
    [
      'of a profile where the environment is empty',
      { env: { AWS_ACCESS_KEY_ID: '', AWS_SECRET_ACCESS_KEY: ' ' } },
      { accessKeyId: 'AKDEFAULT', secretAccessKey: 'SKDEFAULT/+=' },
    ],
  ])('%s', async (_, given, expected) => {
    expect((await access(given)).credentials).toEqual(expected);
  });

  it('are in the home folder unless the environment says otherwise', async () => {
    const world = memoryWorld({ files: { 'me/.aws/credentials': CREDENTIALS } });
    const { credentials } = await accessOf({ pathStyle: false, anonymous: false }, { ...world, home: `${process.cwd()}/me` });
    expect(credentials?.accessKeyId).toBe('AKDEFAULT');
  });

  it('are not needed by the anonymous', async () => {
    expect((await access({ files: {}, options: { anonymous: true } })).credentials).toBeUndefined();
    expect((await access({ env: ENV, options: { anonymous: true } })).credentials).toBeUndefined();
  });

  it('that are nowhere: the message says where they were looked for', async () => {
    const error = await failure(access({ files: {} }));
    expect(error).toMatchObject({ kind: 'config', reason: 'no-credentials' });
    for (const place of ['AWS_ACCESS_KEY_ID', 'aws/credentials', 'aws/config', '"default"', 's3-anonymous'])
      expect(error.message).toContain(place);
  });

  it.each([
    ['role', 'role_arn'],
    ['process', 'credential_process'],
    ['with space', 'sso_session'],
  ])('that have to be fetched: %s', async (profile, what) => {
    const error = await failure(access({ options: { profile } }));
    expect(error).toMatchObject({ kind: 'config', reason: 'no-credentials' });
    expect(error.message).toContain(what);
    expect(error.message).toContain('aws configure export-credentials');
  });

  it('of a profile that is not there', async () => {
    expect(await failure(access({ options: { profile: 'wrok' } }))).toMatchObject({
      kind: 'config',
      message: expect.stringContaining('"wrok"'),
    });
  });

  it('are in no message', async () => {
    const half = { files: { 'aws/credentials': '[default]\naws_secret_access_key = SKLOST' } };
    expect((await failure(access(half))).message).not.toContain('SKLOST');
  });
});

describe('the server', () => {
  const serverOf = async (given: Given) => {
    const { endpoint, ...server } = (await access(given)).server;
    return { ...server, endpoint: endpoint?.href };
  };

  it.each<[string, Given, string | undefined, string]>([
    ['is AWS, in the region of the profile', {}, undefined, 'eu-central-1'],
    ['is in us-east-1 where nobody says', { env: ENV, files: {} }, undefined, 'us-east-1'],
    ['is in the region of the environment', { env: { AWS_DEFAULT_REGION: 'sa-east-1' } }, undefined, 'sa-east-1'],
    [
      'is in the nearer region of the environment',
      { env: { AWS_REGION: 'us-west-2', AWS_DEFAULT_REGION: 'sa-east-1' } },
      undefined,
      'us-west-2',
    ],
    [
      'is in the region of an option',
      { env: { AWS_REGION: 'us-west-2' }, options: { region: 'eu-west-3' } },
      undefined,
      'eu-west-3',
    ],
    ['is that of the profile', { options: { profile: 'work' } }, 'https://minio.work:9000/', 'ap-south-1'],
    ['is that of the environment', { env: { AWS_ENDPOINT_URL: 'http://a:1' } }, 'http://a:1/', 'eu-central-1'],
    [
      'is that for S3 of the environment',
      { env: { AWS_ENDPOINT_URL: 'http://a:1', AWS_ENDPOINT_URL_S3: 'http://b:1' } },
      'http://b:1/',
      'eu-central-1',
    ],
    [
      'is that of an option',
      { env: { AWS_ENDPOINT_URL_S3: 'http://b:1' }, options: { endpoint: 'http://c:1' } },
      'http://c:1/',
      'eu-central-1',
    ],
    [
      'is AWS where what is configured is to be ignored',
      { env: { AWS_ENDPOINT_URL_S3: 'http://b:1', AWS_IGNORE_CONFIGURED_ENDPOINT_URLS: 'true' } },
      undefined,
      'eu-central-1',
    ],
    [
      'has one region at R2',
      { env: ENV, files: {}, options: { endpoint: 'https://1.r2.cloudflarestorage.com' } },
      'https://1.r2.cloudflarestorage.com/',
      'auto',
    ],
  ])('%s', async (_, given, endpoint, region) => {
    expect(await serverOf(given)).toEqual({ endpoint, region, pathStyle: false });
  });

  it.each([
    [{ endpoint: 'minio:9000' }, 'must be an address'],
    [{ endpoint: 'ftp://minio' }, 'must be an address'],
    [{ endpoint: 'http://minio/?a=b' }, 'must be an address'],
    [{ endpoint: 'http://ak:sk@minio' }, 'must not hold'],
    [{ region: 'evil.example/' }, 'no name of a region'],
  ])('is refused: %j', async (options, sentence) => {
    const error = await failure(access({ options }));
    expect(error).toMatchObject({ kind: 'config', message: expect.stringContaining(sentence) });
    expect(error.message).not.toContain('sk');
  });
});
