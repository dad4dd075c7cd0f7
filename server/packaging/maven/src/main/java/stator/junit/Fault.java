// SPDX-License-Identifier: Apache-2.0
package stator.junit;

import java.lang.annotation.Documented;
import java.lang.annotation.ElementType;
import java.lang.annotation.Inherited;
import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;
import java.lang.annotation.Target;

/**
 * Makes requests fail while a test runs, or each test of a class:
 *
 * <pre>{@code
 * @Test
 * @Fault("throttled")
 * void retries(DynamoDbClient client) { ... }
 * }</pre>
 *
 * The value is a preset of Stator's page faults.md, with its argument ({@code "hot-table orders"}), or a rule in JSON. The test
 * fails unless a request failed by it. Rules are of the whole server, so such tests must not run at once with others.
 */
@Documented
@Inherited
@Retention(RetentionPolicy.RUNTIME)
@Target({ElementType.METHOD, ElementType.TYPE})
public @interface Fault {
  /** A preset, or a rule in JSON. */
  String value();

  /** Whether the test passes also if no request failed. */
  boolean optional() default false;
}
