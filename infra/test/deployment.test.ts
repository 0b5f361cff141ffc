import { spawnSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { findBinary } from '../binaries.ts'
import { projectsWith, ROOT } from '../projects.ts'

// A parser without types of its own; what it returns is looked at through the types below.
const yaml = createRequire(import.meta.url)('js-yaml') as {
  load: (t: string) => unknown
  loadAll: (t: string) => unknown[]
}

describe('compose.yaml', () => {
  const compose = yaml.load(read('infra/compose.yaml')) as Compose

  test('keeps counters in Redis: appended every second, never evicted', () => {
    const command = compose.services['redis']?.command?.join(' ')

    expect(command).toContain('--appendonly yes --appendfsync everysec')
    expect(command).toContain('--maxmemory-policy noeviction')
  })

  test('builds each service with the Dockerfile, from a project that exists', () => {
    const services = Object.values(compose.services).flatMap(({ build }) =>
      build === undefined ? [] : [build],
    )

    expect(services.length).toBeGreaterThan(0)
    for (const { context, dockerfile, args } of services) {
      expect(existsSync(join(ROOT, 'infra', context, dockerfile))).toBe(true)
      expect(existsSync(join(ROOT, 'apps', args.APP, 'package.json'))).toBe(true)
    }
  })

  test('gives secrets as files that are all declared, and none as a value', () => {
    for (const { environment = {}, secrets = [] } of Object.values(compose.services)) {
      expect(Object.keys(compose.secrets)).toEqual(expect.arrayContaining(secrets))
      for (const [name, value] of Object.entries(environment)) {
        expect(name).not.toMatch(/(PASSWORD|SECRET|PEPPER|TOKEN|DATABASE_URL)$/)
        if (value.startsWith('/run/secrets/')) expect(secrets).toContain(value.slice('/run/secrets/'.length))
      }
    }
  })

  test('publishes ports to this machine only', () => {
    const ports = Object.values(compose.services).flatMap((service) => service.ports ?? [])

    expect(ports.length).toBeGreaterThan(0)
    expect(ports.filter((port) => !port.startsWith('127.0.0.1:'))).toEqual([])
  })
})

describe('the Dockerfile', () => {
  const dockerfile = read('infra/Dockerfile')

  test('copies from stages that exist', () => {
    const stages = [...dockerfile.matchAll(/^FROM .* AS (\S+)$/gm)].map(([, name]) => name)
    const sources = [...dockerfile.matchAll(/--from=(\S+)/g)].map(([, name]) => name)

    expect(sources.length).toBeGreaterThan(0)
    expect(stages).toEqual(expect.arrayContaining(sources))
  })

  test('runs without root and checks its own health', () => {
    expect(dockerfile).toMatch(/^USER 1000:1000$/m)
    expect(dockerfile).toMatch(/^HEALTHCHECK .*\n.*\/livez/m)
  })

  test('sends the builder what a build reads', () => {
    const sent = read('infra/Dockerfile.dockerignore')
      .split('\n')
      .flatMap((line) => (line.startsWith('!') ? [line.slice(1)] : []))

    expect(sent).toEqual(
      expect.arrayContaining(['package.json', 'package-lock.json', 'apps', 'libs', 'infra']),
    )
    expect(sent.filter((path) => !existsSync(join(ROOT, path)))).toEqual([])
  })
})

const kubectl = findBinary('kubectl')
if (kubectl === undefined)
  process.stderr.write('kubectl is not here, so the Kubernetes manifests are not tested.\n')

;(kubectl === undefined ? describe.skip : describe)('the Kubernetes manifests', () => {
  const objects = kubectl === undefined ? [] : render(kubectl)
  const workloads = objects.filter(({ kind }) => kind === 'Deployment' || kind === 'Job')
  const services = objects.filter(({ kind }) => kind === 'Deployment')

  test('satisfy the restricted pod security profile', () => {
    expect(workloads.length).toBeGreaterThan(1)
    for (const { spec } of workloads) {
      const pod = spec.template.spec
      expect(pod.automountServiceAccountToken).toBe(false)
      expect(pod.securityContext).toMatchObject({
        runAsNonRoot: true,
        seccompProfile: { type: 'RuntimeDefault' },
      })
      for (const container of pod.containers) {
        expect(container.securityContext).toEqual({
          allowPrivilegeEscalation: false,
          readOnlyRootFilesystem: true,
          capabilities: { drop: ['ALL'] },
        })
        expect(container.resources).toMatchObject({
          requests: { cpu: expect.any(String) },
          limits: { memory: expect.any(String) },
        })
        expect(container.image).toMatch(/:\d+\.\d+\.\d+$|@sha256:/)
      }
    }
  })

  test('name every secret after the service and pass it as a file', () => {
    for (const { metadata, spec } of workloads) {
      const pod = spec.template.spec
      expect(pod.volumes.map(({ secret }) => secret.secretName)).toEqual([
        metadata.labels?.['app.kubernetes.io/name'],
      ])
      for (const { name, value } of pod.containers.flatMap(({ env }) => env)) {
        expect(name.endsWith('_FILE')).toBe(value.startsWith('/run/secrets/'))
      }
    }
  })

  test('probe start, life and readiness of every service, and give it time to drain', () => {
    for (const { spec } of services) {
      const pod = spec.template.spec
      expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(30)
      expect(pod.topologySpreadConstraints.length).toBeGreaterThan(0)
      expect(pod.containers).toEqual([
        expect.objectContaining({
          startupProbe: expect.objectContaining({ httpGet: { path: '/livez', port: 'http' } }),
          livenessProbe: expect.objectContaining({ httpGet: { path: '/livez', port: 'http' } }),
          readinessProbe: expect.objectContaining({ httpGet: { path: '/readyz', port: 'http' } }),
        }),
      ])
    }
  })

  test('keep fewer pods in the disruption budget than the autoscaler keeps at least', () => {
    for (const { metadata } of services) {
      const [budget, autoscaler] = ['PodDisruptionBudget', 'HorizontalPodAutoscaler'].map((kind) =>
        objects.find((object) => object.kind === kind && object.metadata.name === metadata.name),
      )

      expect(autoscaler?.spec.scaleTargetRef.name).toBe(metadata.name)
      expect(budget?.spec.minAvailable).toBeLessThan(autoscaler?.spec.minReplicas ?? 0)
    }
  })

  test('select pods of one service only, whatever selects them', () => {
    for (const { metadata } of services) {
      const own = objects.filter(
        (object) => object.metadata.labels?.['app.kubernetes.io/name'] === metadata.name,
      )
      const selectors = own.flatMap(({ kind, spec }) =>
        kind === 'Job' || kind === 'HorizontalPodAutoscaler'
          ? []
          : [JSON.stringify(spec.podSelector ?? spec.selector)],
      )

      expect(selectors).toHaveLength(4)
      for (const selector of selectors)
        expect(selector).toContain(`"app.kubernetes.io/name":"${metadata.name}"`)
    }
  })

  test('refuse all traffic that no policy allows', () => {
    const denial = objects.find(
      ({ kind, metadata }) => kind === 'NetworkPolicy' && metadata.name === 'default-deny',
    )

    expect(denial?.spec).toEqual({ podSelector: {}, policyTypes: ['Ingress', 'Egress'] })
    for (const { metadata } of services) {
      expect(
        objects.some(({ kind, metadata: { name } }) => kind === 'NetworkPolicy' && name === metadata.name),
      ).toBe(true)
    }
  })

  test('import vehicle data as the service would, one at a time, with the way out that it needs', () => {
    const [job, policy] = kubectl === undefined ? [] : render(kubectl, 'base/vehicle-import')
    const { jobTemplate, concurrencyPolicy } = job?.spec ?? {}
    const pod = jobTemplate?.spec.template.spec
    const service = services.find(({ metadata }) => metadata.name === 'vehicle-api')?.spec.template.spec

    expect(concurrencyPolicy).toBe('Forbid')
    expect(pod?.containers[0]?.image).toBe('hearth/vehicle-api')
    expect(pod?.containers[0]?.args).toEqual(expect.arrayContaining(['main.js', 'import']))
    expect(pod?.containers[0]?.securityContext).toEqual(service?.containers[0]?.securityContext)
    expect(pod?.volumes[0]).toEqual(service?.volumes[0])
    expect(policy?.kind).toBe('NetworkPolicy')
    expect(JSON.stringify(policy?.spec)).toContain('443')
  })

  test('deploy every service of the repository', () => {
    const names = projectsWith('start').map(({ name }) => name.replace('@hearth/', ''))

    expect(services.map(({ metadata }) => metadata.name)).toEqual(expect.arrayContaining(names))
  })
})

function render(program: string, folder = 'overlays/production'): Manifest[] {
  const { stdout, stderr, status } = spawnSync(program, ['kustomize', `infra/kustomize/${folder}`], {
    cwd: ROOT,
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`kubectl cannot render the manifests: ${stderr}`)
  return yaml.loadAll(stdout) as Manifest[]
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), 'utf8')
}

type Compose = {
  services: Record<
    string,
    {
      command?: string[]
      build?: { context: string; dockerfile: string; args: { APP: string } }
      environment?: Record<string, string>
      secrets?: string[]
      ports?: string[]
    }
  >
  secrets: Record<string, unknown>
}

/** The fields of six kinds of manifest that the tests look at. */
type Manifest = { kind: string; metadata: { name: string; labels?: Record<string, string> }; spec: Spec }

type Spec = {
  template: { spec: Pod }
  scaleTargetRef: { name: string }
  minReplicas: number
  minAvailable: number
  podSelector?: unknown
  selector?: unknown
  concurrencyPolicy?: string
  jobTemplate?: { spec: { template: { spec: Pod } } }
}

type Pod = {
  automountServiceAccountToken: boolean
  securityContext: unknown
  containers: {
    image: string
    args?: string[]
    env: { name: string; value: string }[]
    securityContext: unknown
    resources: unknown
  }[]
  volumes: { secret: { secretName: string } }[]
  terminationGracePeriodSeconds: number
  topologySpreadConstraints: unknown[]
}
