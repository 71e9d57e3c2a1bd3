/**
 * Who asks, and which server: from what the user said, the environment and the files of the AWS tools, in the order of these
 * tools. Keys that have to be fetched first (roles, single sign-on, a process) are out of its reach, and it says so: `aws configure
 * export-credentials` fetches them. A key is in no message.
 */
import { configError, IngestError, systemCode } from '../errors.js';
import type { World } from '../world.js';
import type { S3Options, S3Server } from './address.js';

export interface Credentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken?: string;
}

export interface S3Access {
  readonly server: S3Server;
  /** Undefined: requests are not signed. */
  readonly credentials: Credentials | undefined;
}

type Surroundings = Pick<World, 'fs' | 'env' | 'home'>;
type Section = Readonly<Record<string, string>>;

/** @throws IngestError kind config: no credentials, credentials out of reach, a bad endpoint */
export async function accessOf(options: S3Options, world: Surroundings): Promise<S3Access> {
  const files = await profileFiles(world);
  const name = options.profile ?? set(world.env.AWS_PROFILE) ?? 'default';
  const profile = { ...files.config.get(name), ...files.credentials.get(name) };
  const isKnown = files.config.has(name) || files.credentials.has(name);
  if (options.profile !== undefined && !isKnown)
    throw configError([`there is no profile ${JSON.stringify(name)} in ${files.paths.join(' or ')}`]);
  const server = serverOf(options, profile, world.env);
  return { server, credentials: options.anonymous ? undefined : credentialsOf(options, name, profile, files, world) };
}

function serverOf(options: S3Options, profile: Section, env: World['env']): S3Server {
  const isIgnored = env.AWS_IGNORE_CONFIGURED_ENDPOINT_URLS?.toLowerCase() === 'true';
  const configured = isIgnored ? undefined : (set(env.AWS_ENDPOINT_URL_S3) ?? set(env.AWS_ENDPOINT_URL) ?? profile.endpoint_url);
  const named = options.endpoint ?? configured;
  const endpoint = named === undefined ? undefined : endpointOf(named);
  const usual = endpoint?.hostname.endsWith('.r2.cloudflarestorage.com') ? 'auto' : 'us-east-1';
  const region = options.region ?? set(env.AWS_REGION) ?? set(env.AWS_DEFAULT_REGION) ?? profile.region ?? usual;
  // It becomes a part of a host's name.
  if (!/^[A-Za-z0-9-]{1,64}$/.test(region))
    throw configError([`${JSON.stringify(region)} is no name of a region, such as eu-west-1`]);
  return { region, pathStyle: options.pathStyle, ...(endpoint === undefined ? {} : { endpoint }) };
}

function endpointOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || url.search !== '' || url.hash !== '')
    throw configError(['the S3 endpoint must be an address such as https://minio.example:9000']);
  if (url.username !== '' || url.password !== '')
    throw configError(['the S3 endpoint must not hold a user or password: keys come from the environment or a profile']);
  return url;
}

/* ------------------------------------------------------------------ keys */

function credentialsOf(
  options: S3Options,
  name: string,
  profile: Section,
  files: ProfileFiles,
  { env }: Surroundings,
): Credentials {
  // A profile that was asked for by name goes before keys in the environment; one that the environment names does not.
  const fromEnv =
    options.profile === undefined ? keysOf(env.AWS_ACCESS_KEY_ID, env.AWS_SECRET_ACCESS_KEY, env.AWS_SESSION_TOKEN) : undefined;
  if (fromEnv !== undefined) return fromEnv;
  const { aws_access_key_id: id, aws_secret_access_key: secret, aws_session_token: token } = profile;
  const fromProfile = profile.role_arn === undefined ? keysOf(id, secret, token) : undefined;
  if (fromProfile !== undefined) return fromProfile;
  const fetched = FETCHED.find((key) => profile[key] !== undefined);
  if (fetched !== undefined)
    throw noCredentials(
      `the profile ${JSON.stringify(name)} has ${fetched}, and such keys have to be fetched first: ` +
        `eval "$(aws configure export-credentials --profile ${name} --format env)"`,
    );
  throw noCredentials(
    `no keys for S3: looked for AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment and for the profile ` +
      `${JSON.stringify(name)} in ${files.paths.join(' and ')}; a public bucket is read without keys by the option s3-anonymous`,
  );
}

const FETCHED = [
  'role_arn',
  'credential_process',
  'sso_session',
  'sso_start_url',
  'web_identity_token_file',
  'login_session',
] as const;

function keysOf(id: string | undefined, secret: string | undefined, token: string | undefined): Credentials | undefined {
  const [accessKeyId, secretAccessKey, sessionToken] = [set(id), set(secret), set(token)];
  if (accessKeyId === undefined || secretAccessKey === undefined) return undefined;
  return { accessKeyId, secretAccessKey, ...(sessionToken === undefined ? {} : { sessionToken }) };
}

const noCredentials = (sentence: string) => new IngestError('config', 'no-credentials', sentence);

/** A variable that is set to nothing counts as not set. */
function set(value: string | undefined): string | undefined {
  return value === undefined || value.trim() === '' ? undefined : value.trim();
}

/* ------------------------------------------------------------------ files */

interface ProfileFiles {
  readonly config: ReadonlyMap<string, Section>;
  readonly credentials: ReadonlyMap<string, Section>;
  /** As they are to be named in messages. */
  readonly paths: readonly string[];
}

async function profileFiles({ fs, env, home }: Surroundings): Promise<ProfileFiles> {
  const credentialsPath = set(env.AWS_SHARED_CREDENTIALS_FILE) ?? '~/.aws/credentials';
  const configPath = set(env.AWS_CONFIG_FILE) ?? '~/.aws/config';
  const read = async (path: string): Promise<string> => {
    try {
      return await fs.promises.readFile(path.replace(/^~(?=\/)/, home), 'utf8');
    } catch (error) {
      if (systemCode(error) === 'ENOENT' || systemCode(error) === 'ENOTDIR') return '';
      throw new IngestError('config', 'no-credentials', `${path} could not be read (${systemCode(error) ?? 'unknown fault'})`);
    }
  };
  const [credentials, config] = await Promise.all([read(credentialsPath), read(configPath)]);
  return {
    // In the file of settings, all sections but one are called `profile <name>`.
    config: sectionsOf(config, (title) => (title === 'default' ? title : /^profile\s+(.+)$/.exec(title)?.[1])),
    credentials: sectionsOf(credentials, (title) => title),
    paths: [credentialsPath, configPath],
  };
}

/** `name = value` lines under `[title]` lines. Indented lines belong to a setting above them, and none of ours has any. */
function sectionsOf(text: string, nameOf: (title: string) => string | undefined): Map<string, Section> {
  const sections = new Map<string, Record<string, string>>();
  let section: Record<string, string> | undefined;
  for (const line of text.split(/\r?\n/)) {
    const title = /^\[\s*([^\]]+?)\s*\]/.exec(line)?.[1];
    if (title !== undefined) {
      const name = nameOf(title)?.replace(/^["']|["']$/g, '');
      section = name === undefined ? undefined : (sections.get(name) ?? Object.create(null));
      if (name !== undefined) sections.set(name, section!);
    } else if (section !== undefined) {
      const [, key, value] = /^([A-Za-z][\w.-]*)\s*=\s*(.*?)\s*$/.exec(line) ?? [];
      if (key !== undefined) section[key.toLowerCase()] = value!.replace(/\s+[#;].*$/, '');
    }
  }
  return sections;
}
