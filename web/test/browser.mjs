// node test/browser.mjs [--shots FOLDER] PAGE… [--hostile PAGE…]: opens report pages from their files and uses them.
// Exit status: 0 all is well, 1 something is not, 77 no browser was found.
import { existsSync, mkdirSync } from "node:fs";
import { basename, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { check_hostile, ready } from "./xss.mjs";

const pages = [];
const hostile = [];
let shots = null;
let list = pages;
for (let args = process.argv.slice(2), i = 0; i < args.length; ++i) {
  if (args[i] === "--shots") shots = args[++i];
  else if (args[i] === "--hostile") list = hostile;
  else list.push(args[i]);
}
if (!pages.length && !hostile.length) {
  console.error("usage: node test/browser.mjs [--shots FOLDER] PAGE... [--hostile PAGE...]");
  process.exit(2);
}
const browsers = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const executablePath = [process.env.CHROMIUM, ...browsers].find((path) => path && existsSync(path));
let chromium;
try {
  ({ chromium } = await import("playwright-core"));
} catch {
  chromium = null;
}
if (!executablePath || !chromium) {
  console.log("no browser found (chromium, or the variable CHROMIUM); skipped");
  process.exit(77);
}
if (shots) mkdirSync(shots, { recursive: true });

const browser = await chromium.launch({
  executablePath,
  args: ["--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--ignore-gpu-blocklist"],
});
let failures = 0;

async function open(file, options) {
  const address = pathToFileURL(resolve(file)).href;
  const page = await browser.newPage(options);
  const faults = [];
  page.on("console", (message) => {
    // Chromium's own remarks on drawing without a graphics card are not ours.
    if (message.type() === "error" && !/GPU stall|GL Driver Message/.test(message.text()))
      faults.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (url.split("#")[0] !== address && !/^(data|blob):/.test(url)) faults.push(`request: ${url}`);
  });
  const begin = Date.now();
  await page.goto(address);
  await ready(page);
  return { page, faults, seconds: (Date.now() - begin) / 1000 };
}
const get = (page, name) => page.evaluate((key) => window.escapement[key], name);
const close_to = (a, b, tolerance) => Math.abs(a - b) <= tolerance;

async function check(file) {
  const name = basename(resolve(file, "..")) + "/" + basename(file);
  const fail = (text) => {
    ++failures;
    console.log(`FAIL ${name}: ${text}`);
  };
  const expect = (condition, text) => condition || fail(text);
  const shot = (page, kind) =>
    shots ? page.screenshot({ path: join(shots, `${name.replace(/\W+/g, "-")}-${kind}.png`) }) : null;

  const { page, faults, seconds } = await open(file, {
    viewport: { width: 1280, height: 900 },
    colorScheme: "light",
  });
  const [begin, end] = await get(page, "range");
  const picture = await get(page, "picture");
  const wants_picture = await page.evaluate(() => {
    const run = JSON.parse(document.getElementById("report").textContent).runs[0];
    return (
      !!run.motion?.frames &&
      !!run.scene?.components.some((c) => c.parts.some((p) => p.ends.some((e) => e.node !== null)))
    );
  });
  expect(
    picture === wants_picture,
    wants_picture ? "the mechanism is not drawn" : "a picture without anything to draw",
  );

  if (picture) {
    await page.waitForTimeout(300);
    const tones = () =>
      page.evaluate(() => {
        const canvas = document.querySelector(".view3d canvas");
        const copy = document.createElement("canvas");
        copy.width = canvas.width;
        copy.height = canvas.height;
        const context = copy.getContext("2d");
        context.drawImage(canvas, 0, 0);
        const { data } = context.getImageData(0, 0, copy.width, copy.height);
        const seen = new Set();
        let sum = 0;
        for (let i = 0; i < data.length; i += 4 * 7) {
          seen.add((data[i] << 16) | (data[i + 1] << 8) | data[i + 2]);
          sum = (sum * 31 + data[i] + data[i + 1] + data[i + 3]) | 0;
        }
        return { count: seen.size, sum };
      });
    const before = await tones();
    expect(before.count > 20, `the picture is blank (${before.count} colours)`);
    const scrub = page.locator(".scrub");
    await scrub.fill("4000");
    await page.waitForTimeout(200);
    expect(
      close_to(await get(page, "time"), begin + 0.4 * (end - begin), 1e-3 * (end - begin)),
      "scrubbing does not set the time",
    );
    const after = await tones();
    const moves = await page.evaluate(() => {
      const run = JSON.parse(document.getElementById("report").textContent).runs[0];
      return run.motion.frames > 1;
    });
    expect(!moves || after.sum !== before.sum, "the picture does not change with the time");
    await shot(page, "light");

    // Colours of beams: each changes the picture and has a bar with numbers; those of the whole run stay.
    if (await page.locator(".beam-colours").count()) {
      const drawn = () =>
        page.evaluate(() => new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done))));
      const sums = new Set([(await tones()).sum]);
      const options = await page
        .locator(".beam-colours option")
        .evaluateAll((all) => all.map((o) => o.value));
      for (const value of options.filter((each) => each)) {
        await page.locator(".beam-colours").selectOption(value);
        await drawn();
        sums.add((await tones()).sum);
        const bar = () => page.locator(".colour-bar").innerText();
        const text = await bar();
        expect(/\d/.test(text), `${value}: the colour bar has no numbers`);
        await page.locator(".scrub").fill("9000");
        await drawn();
        expect((await bar()) === text, `${value}: the colour bar changes with the time`);
        await page.locator(".scrub").fill("4000");
        await drawn();
        await shot(page, `beams-${value}`);
      }
      expect(sums.size === options.length, "colours of beams do not change the picture");
      await page.locator(".beam-colours").selectOption("");
      expect(await page.locator(".colour-bar").isHidden(), "plain beams have a colour bar");
    }
  }
  if (await page.locator(".play").count()) {
    await page.locator(".scrub").fill("0");
    await page.locator(".play").click();
    await page.waitForTimeout(500);
    const t = await get(page, "time");
    expect(t > begin, "playing does not advance the time");
    await page.evaluate(() => document.activeElement?.blur());
    if (await get(page, "playing")) {
      await page.keyboard.press("Space");
      expect(!(await get(page, "playing")), "space does not pause");
    }
    const t0 = await get(page, "time");
    await page.keyboard.press("ArrowLeft");
    expect((await get(page, "time")) < t0 || t0 === begin, "the left arrow does not go back");
    await page.keyboard.press("End");
    expect((await get(page, "time")) === end, "End does not go to the end");
  }

  // Channels: search, plot two.
  const total = await get(page, "listed");
  expect(total > 0, "no channels are listed");
  await page.evaluate(() => document.activeElement?.blur());
  await page.keyboard.press("/");
  const first = await page.locator(".channel-list input").first().getAttribute("data-channel");
  await page.keyboard.type(first);
  const found = await get(page, "listed");
  expect(found >= 1 && found <= total, "the search does not filter");
  await page.locator(`.channel-list input`).first().check();
  expect((await get(page, "plotted")).length === 1, "ticking a channel does not plot it");
  await page.locator('input[type="search"]').fill("no such channel at all");
  expect((await get(page, "listed")) === 0, "the search finds what is not there");
  await page.locator('input[type="search"]').fill("*");
  await page.locator(".channel-list input").last().check();
  await page.locator(".chosen-plots .u-over").first().scrollIntoViewIfNeeded();
  await page.waitForTimeout(250);
  await shot(page, "channels");

  // Zoom by dragging, in all time plots; double click takes it back.
  const over = page.locator(".chosen-plots .u-over").first();
  const box = await over.boundingBox();
  await page.mouse.move(box.x + 0.25 * box.width, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + 0.5 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.move(box.x + 0.75 * box.width, box.y + 60, { steps: 4 });
  await page.mouse.up();
  await page.waitForTimeout(100);
  const [low, high] = await get(page, "range");
  const span = end - begin;
  expect(
    close_to(low, begin + 0.25 * span, 0.03 * span) && close_to(high, begin + 0.75 * span, 0.03 * span),
    `dragging does not zoom (${low} to ${high})`,
  );
  for (const range of await get(page, "ranges"))
    if (range)
      expect(
        close_to(range[0], low, 1e-6 * span) && close_to(range[1], high, 1e-6 * span),
        "plots do not zoom together",
      );
  await page.mouse.dblclick(box.x + 0.5 * box.width, box.y + 50);
  await page.waitForTimeout(150);
  expect((await get(page, "range"))[1] === end, "a double click does not show all");

  // The cursor is the same in all plots on the screen; a click sets the time.
  await page.mouse.move(box.x + 0.3 * box.width, box.y + 50);
  await page.mouse.move(box.x + 0.31 * box.width, box.y + 52);
  await page.waitForTimeout(100);
  const cursors = (await get(page, "cursors")).filter((left) => left >= 0);
  const charts = await page.locator(".chosen-plots .u-over").count();
  expect(
    cursors.length >= charts && charts > 0,
    `the cursor is shown in ${cursors.length} of ${charts} plots`,
  );
  await page.mouse.click(box.x + 0.31 * box.width, box.y + 52);
  expect(
    close_to(await get(page, "time"), begin + 0.31 * span, 0.03 * span),
    "a click in a plot does not set the time",
  );

  // Every toggle of every plot.
  for (const text of ["log", "spectrum"]) {
    await page.locator(".chosen-plots .tools button", { hasText: text }).first().click();
    await page.waitForTimeout(150);
    await page.locator(".chosen-plots .tools button", { hasText: text }).first().click();
  }
  const boxes = page.locator(".topology .box:not(.ground)");
  if (await boxes.count()) {
    await boxes.first().scrollIntoViewIfNeeded();
    await boxes.first().click();
    expect((await page.locator(".topology-info h3").count()) === 1, "a box of the topology tells nothing");
    await shot(page, "topology");
  }
  for (const key of ["#plots", "#numbers", "#model"])
    if (await page.locator(key).count()) {
      await page.locator(key).scrollIntoViewIfNeeded();
      await page.evaluate((k) => document.querySelector(k).scrollIntoView(), key);
      await page.waitForTimeout(150);
      await shot(page, key.slice(1));
    }
  await page.evaluate(() => scrollTo(0, 0));
  const light = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  await page.locator(".theme").click();
  await page.waitForTimeout(200);
  const dark = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
  expect(light !== dark, "the toggle does not make it dark");
  await page.keyboard.press("?");
  expect(await page.evaluate(() => document.querySelector("dialog").open), "? does not show the keys");
  faults.forEach(fail);
  await page.close();

  for (const [kind, options] of [
    ["dark", { viewport: { width: 1280, height: 900 }, colorScheme: "dark" }],
    ["phone", { viewport: { width: 390, height: 844 }, colorScheme: "light" }],
  ]) {
    const other = await open(file, options);
    await other.page.waitForTimeout(300);
    if (kind === "dark") {
      const background = await other.page.evaluate(() => getComputedStyle(document.body).backgroundColor);
      expect(background === dark, "dark mode of the system is not followed");
    }
    const height = await other.page.evaluate(() => document.documentElement.scrollHeight);
    for (let y = 0; y < height; y += 700) {
      await other.page.evaluate((at) => scrollTo(0, at), y);
      await other.page.waitForTimeout(60);
    }
    const wide = await other.page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
    expect(wide <= 0, `${kind}: the page is ${wide} px wider than the window`);
    await other.page.evaluate(() => scrollTo(0, 0));
    await other.page.waitForTimeout(100);
    await shot(other.page, kind);
    other.faults.forEach(fail);
    await other.page.close();
  }
  console.log(`${name}: opened in ${seconds.toFixed(2)} s`);
}

for (const file of pages) {
  try {
    await check(file);
  } catch (error) {
    ++failures;
    console.log(`FAIL ${file}: ${error.message}`);
  }
}
/** Without WebGL all but the picture is there. */
async function check_without_picture(file) {
  const plain = await chromium.launch({ executablePath, args: ["--no-sandbox", "--disable-3d-apis"] });
  const page = await plain.newPage();
  const faults = [];
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  await page.goto(pathToFileURL(resolve(file)).href);
  await ready(page);
  if (await get(page, "picture")) faults.push("a picture without WebGL");
  if (!(await page.locator(".channel-list input").count())) faults.push("no channels");
  await page.locator(".channel-list input").first().check();
  await page.locator(".chosen-plots").scrollIntoViewIfNeeded();
  await page.waitForTimeout(300);
  if (!(await page.locator(".chosen-plots canvas").count())) faults.push("no plot");
  await plain.close();
  for (const text of faults) {
    ++failures;
    console.log(`FAIL ${file} without WebGL: ${text}`);
  }
}
if (pages.length) await check_without_picture(pages[0]);
for (const file of hostile) {
  for (const text of await check_hostile(browser, resolve(file))) {
    ++failures;
    console.log(`FAIL ${file}: ${text}`);
  }
}
await browser.close();
console.log(failures ? `${failures} failures` : "all pages work");
process.exit(failures ? 1 : 0);
