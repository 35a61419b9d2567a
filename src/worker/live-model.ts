import type { Consumer, Endpoints } from '../../queues/index.ts';
import type { Model } from '../completion/create-model.ts';
import type { CircuitWatch } from '../completion/shared-circuit.ts';
import type { Tries } from '../completion/tries.ts';
import type { Config } from '../config.ts';
import type { Services } from '../job/services.ts';
import type { Log } from '../telemetry/log.ts';
import type { WorkerMetrics } from '../telemetry/worker-metrics.ts';
import { composeModel, modelName, noModelAnswers, watchModel } from './compose-model.ts';

/** What a live model works with. */
export interface LiveModelParts {
  circuits: Endpoints;
  log: Log;
  metrics: WorkerMetrics;
  tries: Tries;
  consumer: () => Pick<Consumer, 'pause' | 'resume'>;
}

/** The model of a worker, which can be replaced while jobs run. */
export class LiveModel {
  readonly #parts: LiveModelParts;
  #watch: CircuitWatch | undefined;

  constructor(parts: LiveModelParts) {
    this.#parts = parts;
  }

  /**
   * The services that ask the model of these settings. It replaces the earlier model, whose open circuits then no
   * longer hold the worker; questions that the earlier model was asked are still answered by it.
   */
  servicesFor(config: Omit<Config, 'consoleToken'>): Pick<Services, 'completer' | 'model' | 'confirmer'> {
    const { circuits, log, metrics, tries, consumer } = this.#parts;
    const model = composeModel(config, circuits, log, tries);
    if (this.#watch !== undefined) {
      this.#watch.close();
      void consumer().resume(noModelAnswers);
    }
    this.#watch = watchModel(circuits, model, consumer);
    const asking = (completer: Pick<Model, 'complete'>): Model => ({
      ...model,
      complete: (...question) =>
        completer.complete(...question).catch((error) => {
          this.look();
          throw error;
        }),
    });
    return {
      completer: metrics.counting(asking(model)),
      model: modelName(config),
      confirmer: metrics.counting(asking(model.other)),
    };
  }

  /** Looks at the circuits now. */
  look(): void {
    this.#watch?.look();
  }

  /** Stops looking at the circuits. */
  close(): void {
    this.#watch?.close();
  }
}
