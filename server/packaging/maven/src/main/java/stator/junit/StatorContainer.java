// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import org.testcontainers.containers.GenericContainer;
import org.testcontainers.containers.wait.strategy.Wait;
import org.testcontainers.utility.DockerImageName;

/**
 * Stator's image as a container of Testcontainers:
 *
 * <pre>{@code
 * @Container
 * static final StatorContainer STATOR = new StatorContainer("YOUR.REGISTRY/stator:0.1.0");
 * }</pre>
 *
 * Its data is in memory, and access keys share nothing. {@code withCommand("--gsi-delay", "1")} gives it flags of
 * {@code stator --help}, behind which {@code "--isolate", "key"} keeps keys apart as before.
 */
public class StatorContainer extends GenericContainer<StatorContainer> implements StatorServer {
  /** Where it listens inside the container. */
  public static final int PORT = 8000;

  /** The image that {@code ./dev image} makes on this machine. */
  public StatorContainer() {
    this("stator:latest");
  }

  public StatorContainer(String image) {
    this(DockerImageName.parse(image));
  }

  public StatorContainer(DockerImageName image) {
    super(image);
    addExposedPort(PORT);
    setWaitStrategy(Wait.forHttp("/healthz").forPort(PORT).forStatusCode(200));
  }

  /** By the host's name and the port that the container's is published as, which the engine chose at the start. */
  @Override
  public String endpoint() {
    return "http://" + getHost() + ":" + getMappedPort(PORT);
  }
}
