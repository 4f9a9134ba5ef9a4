/** What the page has: its own, and what actors.js puts there. */
interface Window {
  tabernetes: {
    state: string;
    status: { persistent: boolean; setAside: string; problem: string; secondTab: boolean; tab: string };
  };
  torture: {
    follow(from: [string, number][]): void;
    list(query?: string, limit?: number): Promise<{ revision: number; items: any[] }>;
    history(
      base: number,
      token: string,
    ): Promise<{ head: number; marked: any; events: any[]; state: any[]; items: any[] }>;
    work(state: Record<string, any>, forget: number, compact: string): void;
    stop(): void;
  };
}
