/**
 * A Chroma server of its own folder on a free port of the loopback, spoken to over HTTP (API v2) without its client, which would
 * change what it is given.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { fileURLToPath } from 'node:url';

export interface Chroma {
  /** Makes a collection; gives what to put behind the address of the database. */
  collection(name: string): Promise<string>;
  post(path: string, body: string | object): Promise<unknown>;
  get(path: string): Promise<unknown>;
  stop(): Promise<void>;
}

const CLI = fileURLToPath(new URL('node_modules/chromadb/dist/cli.mjs', import.meta.url));
const DATABASE = '/api/v2/tenants/default_tenant/databases/default_database';
/** Milliseconds between two looks, and looks in all, at whether it is up. */
const PAUSE = 50;
const LOOKS = 1200;

export async function chromaServer(folder: string): Promise<Chroma> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const args = [CLI, 'run', '--path', folder, '--host', '127.0.0.1', '--port', String(port)];
  const child = spawn(process.execPath, args, { stdio: 'ignore', cwd: folder });
  await up(child, url);
  const answer = async (method: string, path: string, body?: string | object): Promise<unknown> => {
    const sent = body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) };
    const response = await fetch(`${url}${DATABASE}${path}`, {
      method,
      headers: { 'content-type': 'application/json' },
      ...sent,
    });
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${text.slice(0, 500)}`);
    return text === '' ? undefined : JSON.parse(text);
  };
  return {
    async collection(name) {
      const made = (await answer('POST', '/collections', { name })) as { id: string };
      return `/collections/${made.id}`;
    },
    post: (path, body) => answer('POST', path, body),
    get: (path) => answer('GET', path),
    stop: () =>
      new Promise((resolve) => {
        if (child.exitCode !== null || child.signalCode !== null) return resolve();
        child.once('exit', () => resolve());
        child.kill('SIGKILL');
      }),
  };
}

async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

async function up(child: ChildProcess, url: string): Promise<void> {
  for (let look = 0; look < LOOKS; look++) {
    if (child.exitCode !== null) throw new Error(`the Chroma server ended with ${child.exitCode}`);
    const response = await fetch(`${url}/api/v2/heartbeat`).catch(() => undefined);
    if (response?.ok === true) return;
    await new Promise((resolve) => setTimeout(resolve, PAUSE));
  }
  child.kill('SIGKILL');
  throw new Error('the Chroma server does not answer');
}
