import { createServer, type RequestListener } from 'node:http';
import { type AddressInfo, createServer as createPlainServer, type Socket } from 'node:net';
import { afterEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { HttpError, type HttpRequest, leave, textOf } from '../../src/http.js';
import { exchange } from '../../src/node-http.js';

const never = new AbortController().signal;

/** A server on loopback until the test ends; its address. */
async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

/** The same, of bytes. */
async function serveBytes(answered: (socket: Socket) => void): Promise<string> {
  const sockets = new Set<Socket>();
  const server = createPlainServer((socket) => {
    sockets.add(socket.on('error', () => {}));
    socket.once('data', () => answered(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const requestOf = (url: string, more: Partial<HttpRequest> = {}): HttpRequest => ({
  method: 'GET',
  url: new URL(url),
  headers: {},
  signal: never,
  connectTimeoutMs: 5000,
  idleTimeoutMs: 5000,
  ...more,
});

async function faultOf(work: Promise<unknown>): Promise<string> {
  const error = await work.then(
    () => expect.fail('it did not fail'),
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(HttpError);
  return (error as HttpError).fault;
}

async function read(url: string, more: Partial<HttpRequest> = {}): Promise<string> {
  return textOf(await exchange(requestOf(url, more)), 2 ** 30);
}

afterEach(() => {
  vi.useRealTimers();
});

describe('an exchange', () => {
  it('sends method, headers and body, and gives status, headers and body as they are', async () => {
    const sent = 'x'.repeat(700_000);
    const base = await serve((request, response) => {
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        response.writeHead(202, {
          'X-Seen': `${request.method} ${request.url} ${request.headers['x-own']}`,
          'Content-Encoding': 'gzip',
        });
        response.end(Buffer.concat(parts));
      });
    });
    const body = new TextEncoder().encode(sent);
    const response = await exchange(requestOf(`${base}/a%20b?c=d`, { method: 'PUT', headers: { 'x-own': 'yes' }, body }));
    expect(response).toMatchObject({ status: 202, headers: { 'x-seen': 'PUT /a%20b?c=d yes', 'content-encoding': 'gzip' } });
    expect(await textOf(response, 2 ** 30)).toBe(sent);
  });

  it('follows no redirect and sends no user of the address', async () => {
    let seen: unknown = 'nothing';
    const base = await serve(({ headers }, response) => {
      seen = headers.authorization;
      response.writeHead(302, { location: '/elsewhere' }).end();
    });
    const response = await exchange(requestOf(base.replace('http://', 'http://user:secret@')));
    expect(response).toMatchObject({ status: 302, headers: { location: '/elsewhere' } });
    expect(seen).toBeUndefined();
    await leave(response);
  });

  it('uses a connection again that was read to its end, and none that was left', async () => {
    const sockets = new Set<unknown>();
    const base = await serve(({ socket }, response) => {
      sockets.add(socket);
      response.end('x'.repeat(10));
    });
    for (let k = 0; k < 3; k++) await read(base);
    expect(sockets.size).toBe(1);
    await leave(await exchange(requestOf(base)));
    await read(base);
    expect(sockets.size).toBe(2);
  });

  it('asks for no more than is wanted', async () => {
    const total = 64 * 2 ** 20;
    let sent = 0;
    const base = await serve((_, response) => {
      response.writeHead(200, { 'content-length': String(total) });
      const more = () => {
        while (sent < total) {
          sent += 65_536;
          if (!response.write(Buffer.alloc(65_536))) return void response.once('drain', more);
        }
        response.end();
      };
      more();
    });
    const body = (await exchange(requestOf(base))).body[Symbol.asyncIterator]();
    await body.next();
    // As long as something else takes: the system's own buffers fill, and no more.
    for (let k = 0; k < 50; k++) await read(await serve((_, response) => void response.end('x')));
    expect(sent).toBeLessThan(total / 2);
    await body.return!();
  });
});

describe('what goes wrong', () => {
  it('is a refused connection', async () => {
    const base = await serve(() => {});
    const { port } = new URL(base);
    // Nobody listens on it once it is closed.
    const other = createPlainServer();
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const free = (other.address() as AddressInfo).port;
    await new Promise((resolve) => other.close(resolve));
    expect(free).not.toBe(Number(port));
    expect(await faultOf(exchange(requestOf(`http://127.0.0.1:${free}`)))).toBe('refused');
  });

  it.each([
    ['before any answer', ''],
    ['within the head', 'HTTP/1.1 200 OK\r\nContent-Le'],
  ])('is a connection that breaks %s', async (_, text) => {
    const base = await serveBytes((socket) => socket.write(text, () => socket.destroy()));
    expect(await faultOf(exchange(requestOf(base)))).toBe('broken');
  });

  it.each([
    ['before its announced length', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'close'],
    ['before its announced length, by a reset', 'HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\nabc', 'reset'],
    ['before its last chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n', 'close'],
    ['within a chunk', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nabc', 'close'],
    ['after more than was announced', 'HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabcdef', 'stay'],
    ['with chunks that are none', 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nabc', 'stay'],
  ])('is a body that ends %s', async (_, text, end) => {
    const base = await serveBytes((socket) =>
      socket.write(text, () => {
        if (end === 'reset') socket.resetAndDestroy();
        if (end === 'close') socket.end();
      }),
    );
    expect(await faultOf(read(base, { allowAddress: () => true }))).toBe('broken');
  });

  it('is silence: before the answer, or within the body, but only while somebody waits', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    let arrived = () => {};
    const asked = new Promise<void>((resolve) => {
      arrived = resolve;
    });
    const silent = await serve(() => arrived());
    const early = faultOf(exchange(requestOf(silent, { idleTimeoutMs: 60_000 })));
    await asked;
    // Not before the request is all sent.
    await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(60_000);
    expect(await early).toBe('timeout');

    const halting = await serve((_, response) => void response.writeHead(200, { 'content-length': '6' }).write('abc'));
    const body = (await exchange(requestOf(halting, { idleTimeoutMs: 60_000 }))).body[Symbol.asyncIterator]();
    await vi.advanceTimersByTimeAsync(3_600_000);
    expect(Buffer.from((await body.next()).value!).toString()).toBe('abc');
    await vi.advanceTimersByTimeAsync(3_600_000);
    const late = faultOf(body.next());
    await vi.advanceTimersByTimeAsync(59_000);
    await vi.advanceTimersByTimeAsync(1_000);
    expect(await late).toBe('timeout');
  });

  it('is an abort, with its own reason, at any point', async () => {
    const reason = new Error('enough');
    const aborted = AbortSignal.abort(reason);
    await expect(exchange(requestOf('http://127.0.0.1:1', { signal: aborted }))).rejects.toBe(reason);
    const abort = new AbortController();
    const silent = await serve(() => abort.abort(reason));
    await expect(exchange(requestOf(silent, { signal: abort.signal }))).rejects.toBe(reason);
    const later = new AbortController();
    const halting = await serve((_, response) => void response.writeHead(200, { 'content-length': '6' }).write('abc'));
    const body = (await exchange(requestOf(halting, { signal: later.signal }))).body[Symbol.asyncIterator]();
    await body.next();
    const waiting = body.next();
    later.abort(reason);
    await expect(waiting).rejects.toBe(reason);
  });

  it('is an answer in the middle of what is sent, which is given', async () => {
    const base = await serveBytes((socket) =>
      socket.end('HTTP/1.1 413 Too Large\r\nContent-Length: 2\r\nConnection: close\r\n\r\nno'),
    );
    const outcome = await exchange(requestOf(base, { method: 'PUT', body: new Uint8Array(2 ** 20) })).then(
      ({ status }) => status,
      (error: HttpError) => error.fault,
    );
    // The system may tell of the reset before it gives the answer.
    expect([413, 'broken']).toContain(outcome);
  });
});

describe('addresses', () => {
  it('are checked where they are written, and where a name leads to', async () => {
    let requests = 0;
    const base = await serve((_, response) => {
      requests++;
      response.end('ok');
    });
    const seen: string[] = [];
    const no = (ip: string) => seen.push(ip) < 0;
    const { port } = new URL(base);
    for (const host of ['127.0.0.1', 'localhost', '2130706433', '[::1]', '[::ffff:127.0.0.1]']) {
      expect(await faultOf(exchange(requestOf(`http://${host}:${port}`, { allowAddress: no }))), host).toBe('forbidden-address');
    }
    expect(requests).toBe(0);
    expect(seen).toContain('127.0.0.1');
    expect(seen).toContain('::1');
    expect(await read(base, { allowAddress: (ip) => ip === '127.0.0.1' })).toBe('ok');
    expect(await read(`http://localhost:${port}`, { allowAddress: (ip) => ip === '127.0.0.1' })).toBe('ok');
  });

  it('are asked anew even where a connection is open already', async () => {
    const base = await serve((_, response) => void response.end('ok'));
    await read(base);
    expect(await faultOf(exchange(requestOf(base, { allowAddress: () => false })))).toBe('forbidden-address');
  });
});
