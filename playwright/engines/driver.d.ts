/** What tests need of a browser: one implementation per protocol, in puppeteer.js and webdriver.js. */

/** How a browser is started. */
export interface Options {
  /**
   * Firefox leaves WebAssembly as its baseline compiler makes it. Its optimizing compiler keeps two cores busy for ten
   * seconds with each page that opens; what pages do is the same.
   */
  baseline?: boolean;
  /** It has one profile, which outlives a kill. */
  kept?: boolean;
}

/** A running browser. */
export interface Engine {
  name: "chromium" | "firefox" | "webkit";
  version: string;
  /** Several profiles may be open at the same time. */
  manyProfiles: boolean;
  /** A fresh profile: nothing stored, no tab open. */
  profile(): Promise<Profile>;
  /** Ends the browser and whatever was started for it. */
  close(): Promise<void>;
}

export interface Profile {
  /** With "window" it lies behind no other, where the profile has windows; what lies behind takes no input. */
  tab(type?: "tab" | "window"): Promise<Tab>;
  /**
   * Kills the browser with all of its processes, in the middle of what its tabs do, and starts it again: tabs that are
   * opened later find what was stored. Only of an engine that was started as kept. WebKit's driver ends with a process
   * that is killed, and its browser has nothing on a disk: there the tabs are closed.
   */
  kill(): Promise<void>;
  close(): Promise<void>;
}

export interface Tab {
  goto(url: string): Promise<void>;
  reload(): Promise<void>;
  back(): Promise<void>;
  /** Runs a function in the page, which must not use anything from outside, and waits for its promise. */
  evaluate<T>(f: (...args: any[]) => T | Promise<T>, ...args: any[]): Promise<T>;
  /** Moves the mouse to a point of the viewport, in CSS pixels. */
  move(x: number, y: number): Promise<void>;
  down(): Promise<void>;
  up(): Promise<void>;
  /** Touches a point for a moment. */
  touch(x: number, y: number): Promise<void>;
  /** Keys by the names of KeyboardEvent.key. */
  keyDown(key: string): Promise<void>;
  keyUp(key: string): Promise<void>;
  /** Types characters, one after another. */
  type(text: string): Promise<void>;
  /** The size of the viewport, in CSS pixels. Resolves when the page has it. */
  resize(width: number, height: number): Promise<void>;
  /** A PNG file of the viewport. */
  screenshot(path: string): Promise<void>;
  close(): Promise<void>;
}
