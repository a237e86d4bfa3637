import type { Express } from 'express';
export interface DiscoveryRoutes {
  mount(app: Express): void;
}
