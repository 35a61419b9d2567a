import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, before, describe, test } from 'node:test';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { main, markedJob, soundReply, startRig } from '../system/harness.ts';

const path = ['chromium', 'chromium-browser', 'google-chrome']
  .map((name) => spawnSync('which', [name], { encoding: 'utf8' }).stdout?.trim())
  .find((found) => found);

/** Where screenshots go; none are taken without it. */
const shots = process.env.PROTOSMITH_SCREENSHOTS;

describe('the console in a browser', { skip: path === undefined && 'no Chromium here' }, () => {
  let rig: Awaited<ReturnType<typeof startRig>>;
  let browser: Browser;
  let address: URL;
  let closeConsole: () => Promise<unknown>;
  const jobs: Record<string, string> = {};
  const hostile = '<script>document.title="owned"</script><img src=x onerror="document.title=\'owned\'">';

  before(async () => {
    rig = await startRig();
    await rig.worker({ PROTOSMITH_MAX_CANDIDATES: '2' });
    const answer = (text: string) => ({ kind: 'reply', text }) as const;
    rig.answer('pages-repaired', (nth) => answer(nth === 1 ? soundReply.replace("'Success'", "'Succes'") : soundReply));
    rig.answer('pages-wrong', () =>
      answer(
        `\`\`\`ts\n// ${hostile}\nexport function handle(): never { throw new Error('${hostile.replaceAll("'", '"')}'); }\n\`\`\``,
      ),
    );
    rig.answer('pages-runs', () => ({ kind: 'stall' }));
    jobs.generated = await rig.submit(markedJob('pages-repaired'));
    jobs.failed = await rig.submit(markedJob('pages-wrong', { timeoutMs: 60_000, tenant: 'acme' }));
    const disputed = markedJob('pages-disputed');
    const cases = disputed.testCases as { testCases: string };
    jobs.disputed = await rig.submit({
      ...disputed,
      testCases: { ...cases, testCases: cases.testCases.replaceAll('"code": 200', '"code": "two hundred"') },
    });
    for (const jobId of [jobs.generated, jobs.failed, jobs.disputed]) await rig.outcome(jobId);
    jobs.running = await rig.submit(markedJob('pages-runs', { timeoutMs: 300_000 }));
    const opened = await openConsole(rig.redis.url);
    address = opened.address;
    closeConsole = opened.close;
    browser = await chromium.launch({
      executablePath: path as string,
      args: ['--no-sandbox', '--disable-gpu', '--disable-background-networking', '--disable-component-update'],
    });
  });
  after(async () => {
    await browser?.close();
    await closeConsole?.();
    await rig?.close();
  });

  /** Opens a page in a context of its own, which records what it asks other hosts for. */
  async function open(where: string, options: Parameters<Browser['newContext']>[0] = {}) {
    const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
    const elsewhere: string[] = [];
    context.on('request', (request) => {
      if (new URL(request.url()).host !== address.host) elsewhere.push(request.url());
    });
    const page = await context.newPage();
    const errors: string[] = [];
    page.on('pageerror', (error) => errors.push(error.message));
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    const url = new URL(where, address);
    url.searchParams.set('token', address.searchParams.get('token') ?? '');
    await page.goto(url.href);
    return { page, context, elsewhere, errors };
  }

  async function shoot(page: Page, name: string): Promise<void> {
    if (shots === undefined) return;
    mkdirSync(shots, { recursive: true });
    const clip = { x: 0, y: 0, width: page.viewportSize()?.width ?? 400, height: 1_100 };
    await page.screenshot({ path: join(shots, `${name}.png`), fullPage: true, clip });
  }

  const clean = async ({ page, elsewhere, errors, context }: Awaited<ReturnType<typeof open>>) => {
    assert.deepEqual([elsewhere, errors], [[], []]);
    assert.notEqual(await page.title(), 'owned');
    const isWider = await page.evaluate('document.documentElement.scrollWidth > innerWidth');
    assert.equal(isWider, false, 'the page scrolls sideways');
    await (context as BrowserContext).close();
  };

  test('the overview shows workers, endpoints and outcomes, and says what needs attention', async () => {
    const opened = await open('/');
    const text = (await opened.page.locator('main').innerText()).toLowerCase();
    for (const said of ['workers', 'model endpoints', 'readers of outcomes', 'redis', 'generated', 'disputed'])
      assert.ok(text.includes(said), `${said}\n${text}`);
    await shoot(opened.page, 'overview');
    await clean(opened);
  });

  test('the list of jobs is filtered, and leads to a job', async () => {
    const opened = await open('/jobs');
    const { page } = opened;
    await page.selectOption('select[name=verdict]', 'disputed');
    await page.click('button:text-is("Show")');
    assert.equal(await page.locator('tbody tr').count(), 1);
    await shoot(page, 'jobs');
    await page.click('tbody a');
    assert.match(await page.locator('h1').innerText(), /disputed/);
    await clean(opened);
  });

  test('a disputed job shows each finding in its place', async () => {
    const opened = await open(`/jobs/${jobs.disputed}`);
    const { page } = opened;
    assert.match(await page.locator('#case-1 mark').first().innerText(), /DOCUMENT_CASE/);
    assert.match(await page.locator('#messages').innerText(), /fixErrorNegotiation/);
    await shoot(page, 'job-disputed');
    await clean(opened);
  });

  test('a generated job shows its candidates, the matrix, and what the repair changed', async () => {
    const opened = await open(`/jobs/${jobs.generated}`);
    const { page } = opened;
    assert.match(await page.locator('h1').innerText(), /generated/);
    assert.ok((await page.locator('.matrix tbody tr').count()) > 2);
    assert.ok((await page.locator('.bars rect').count()) > 3);
    await page.click('text=What the repair changed');
    assert.match(await page.locator('del').first().innerText(), /Succes'/);
    assert.match(await page.locator('ins').first().innerText(), /Success'/);
    await shoot(page, 'job-generated');
    await clean(opened);
  });

  test('a failed job with hostile code shows it as text', async () => {
    const opened = await open(`/jobs/${jobs.failed}`);
    const { page } = opened;
    const source = await page.locator('pre.code').first().innerText();
    assert.ok(source.includes(hostile));
    assert.ok((await page.locator('.failing').count()) > 0);
    await shoot(page, 'job-failed');
    await clean(opened);
  });

  test('a running job refreshes itself', async () => {
    const opened = await open(`/jobs/${jobs.running}`);
    assert.match(await opened.page.locator('h1').innerText(), /active|running|waiting/);
    assert.equal(await opened.page.locator('main[data-live]').count(), 1);
    await shoot(opened.page, 'job-running');
    await clean(opened);
  });

  test('pages fit a narrow screen, and need no script', async () => {
    for (const where of ['/', '/jobs', '/handlers', `/jobs/${jobs.generated}`, `/jobs/${jobs.failed}`]) {
      const opened = await open(where, { viewport: { width: 400, height: 800 }, javaScriptEnabled: false });
      assert.ok((await opened.page.locator('main h1').count()) === 1, where);
      const box = await opened.page.locator('main').boundingBox();
      assert.ok(box !== null && box.width <= 400, where);
      if (where === '/') await shoot(opened.page, 'overview-narrow');
      await opened.context.close();
    }
  });

  test('actions change things: a handler is withdrawn and restored, a job cancelled and put again', async () => {
    const opened = await open('/handlers');
    const { page } = opened;
    await page.click('tbody a');
    await page.fill('input[name=reason]', 'a bad answer');
    await page.click('button:text-is("Withdraw")');
    await page.locator('main', { hasText: 'withdrawn: a bad answer' }).waitFor();
    await shoot(page, 'handler');
    await page.click('button:text-is("Restore")');
    await page.locator('.note', { hasText: 'served again' }).waitFor();
    await page.click('button:text-is("Pin")');
    await page.locator('dd', { hasText: 'pinned: it never expires' }).waitFor();
    await page.click('button:text-is("Unpin")');
    await page.locator('dd', { hasText: 'until it has not been used' }).waitFor();
    await page.goto(new URL(`/jobs/${jobs.running}`, address).href);
    await page.click('button:text-is("Cancel")');
    await page.locator('.note', { hasText: /cancelled|ends within/ }).waitFor();
    await page.goto(new URL(`/jobs/${jobs.disputed}`, address).href);
    await page.click('button:text-is("Put again")');
    await page.locator('.note', { hasText: 'put again' }).waitFor();
    assert.notEqual(new URL(page.url()).pathname, `/jobs/${jobs.disputed}`);
    await page.goto(new URL('/', address).href);
    await page.fill('input[name=reason]', 'a test');
    await page.click('button:text-is("Pause the queue")');
    await page.locator('.concerns', { hasText: 'paused' }).waitFor();
    await page.click('button:text-is("Resume the queue")');
    await page.locator('.note', { hasText: 'take jobs again' }).waitFor();
    await clean(opened);
  });
});

/** Starts a console that may act; resolves to the address that it prints. */
async function openConsole(redisUrl: string) {
  const child = spawn(process.execPath, [main, 'console', '--port', '0', '--write'], {
    env: { ...process.env, REDIS_URL: redisUrl },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const ended = new Promise((resolve) => child.once('close', resolve));
  const line = await new Promise<string>((resolve) => createInterface({ input: child.stdout }).once('line', resolve));
  const close = () => {
    child.kill('SIGTERM');
    return ended;
  };
  return { address: new URL(line), close };
}
